// Every small damage of a text: cut at every byte, and every byte changed to several values.
#pragma once

#include <string>

namespace ovni::test {

// Calls `see(damaged text, what was done)` for each.
template <class See>
void for_each_cut(const std::string& text, See see) {
    for (size_t size = 0; size < text.size(); ++size)
        see(text.substr(0, size), "cut to " + std::to_string(size) + " bytes");
}

template <class See>
void for_each_change(const std::string& text, See see) {
    constexpr unsigned char masks[] = {0x01, 0x02, 0x08, 0x10, 0x40, 0x80, 0xff};
    for (size_t at = 0; at < text.size(); ++at) {
        auto changed = [&](char value) {
            std::string damaged = text;
            damaged[at] = value;
            see(damaged, "byte " + std::to_string(at) + " is " + std::to_string(value));
        };
        for (unsigned char mask : masks)
            changed(static_cast<char>(static_cast<unsigned char>(text[at]) ^ mask));
        for (char value : {'\0', '\xff', '"', '{', '9', '\n'}) changed(value);
    }
}

}  // namespace ovni::test
