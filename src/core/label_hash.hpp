// The value of a label (a task type, the name of a region) in a trace, equal on all ranks without messages.
// Bob Jenkins' "lookup" hash of 1996 with the initial values of the reference implementation, folded into
// 1000 .. 2^31-1: Paraver labels only values of 32 bits, and small values are reserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ovni {

constexpr uint32_t label_hash(std::string_view label) {
    auto byte = [&](size_t i) -> uint32_t { return i < label.size() ? static_cast<uint8_t>(label[i]) : 0; };
    auto word = [&](size_t i) { return byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24; };
    uint32_t a = 0x9e3779b9, b = 0x9e3779b9, c = 0xfeedbeef;
    auto mix = [&] {
        a = (a - b - c) ^ (c >> 13), b = (b - c - a) ^ (a << 8), c = (c - a - b) ^ (b >> 13);
        a = (a - b - c) ^ (c >> 12), b = (b - c - a) ^ (a << 16), c = (c - a - b) ^ (b >> 5);
        a = (a - b - c) ^ (c >> 3), b = (b - c - a) ^ (a << 10), c = (c - a - b) ^ (b >> 15);
    };
    size_t at = 0;
    for (; label.size() - at >= 12; at += 12) {
        a += word(at), b += word(at + 4), c += word(at + 8);
        mix();
    }
    // The low byte of c holds the length, so the last bytes start one higher.
    c += static_cast<uint32_t>(label.size());
    a += word(at), b += word(at + 4), c += byte(at + 8) << 8 | byte(at + 9) << 16 | byte(at + 10) << 24;
    mix();
    return c;
}

constexpr uint32_t label_value(std::string_view label) {
    uint32_t value = (label_hash(label) + 666) & 0x7fffffff;
    return value < 1000 ? value + 1000 : value;
}

static_assert(label_value("a") == 2068372317 && label_value("abcdefghijkl") == 1721602274 &&
              label_value("a longer label with more than twelve bytes") == 1719767073);

}  // namespace ovni
