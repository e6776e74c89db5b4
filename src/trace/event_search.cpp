#include "trace/event_search.hpp"

#include <algorithm>
#include <cstring>

#include "base/file_window.hpp"
#include "ovni/format.h"
#include "trace/packed_events.hpp"

namespace ovni {

namespace {

constexpr size_t code_bytes = 3;

// Bytes that are compared together.
using Bytes [[gnu::vector_size(16)]] = uint8_t;

// A code in all places.
struct Pattern {
    Bytes model, category, value;

    explicit Pattern(EventCode code)
        : model(Bytes{} + static_cast<uint8_t>(code.model())),
          category(Bytes{} + static_cast<uint8_t>(code.category())),
          value(Bytes{} + static_cast<uint8_t>(code.value())) {}
};

Bytes load(const uint8_t* at) {
    Bytes bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// True if one of the codes may begin at any of the positions from `at` on.
bool may_hold(const uint8_t* at, const Pattern& a, const Pattern& b, const Pattern& c) {
    const Bytes models = load(at), categories = load(at + 1), values = load(at + 2);
    const auto holds = [&](const Pattern& pattern) {
        return (models == pattern.model) & (categories == pattern.category) & (values == pattern.value);
    };
    const auto equal = holds(a) | holds(b) | holds(c);
    std::array<uint64_t, sizeof equal / sizeof(uint64_t)> words{};
    std::memcpy(words.data(), &equal, sizeof equal);
    return (words[0] | words[1]) != 0;
}

}  // namespace

std::optional<uint64_t> search_event(const std::string& path, size_t block, uint64_t from,
                                     const SearchedCodes& codes, const IsWanted& is_wanted) {
    FileWindow file(path, block, nullptr, packed_events);
    const Pattern a(codes[0]), b(codes[1]), c(codes[2]);
    constexpr uint64_t behind = OVNI_FORMAT_CODE_AT + code_bytes - 1;  // of the first byte of an event
    for (uint64_t at = from; at + behind < file.size();) {
        file.ensure(at, std::min(file.size(), at + OVNI_FORMAT_EVENT_MAX));
        const bool is_last = file.end() == file.size();
        const uint64_t end = file.end() - (is_last ? behind : OVNI_FORMAT_EVENT_MAX - 1);
        while (at < end) {
            const uint64_t next = std::min(at + sizeof(Bytes), end);
            const uint8_t* code = file.at(at) + OVNI_FORMAT_CODE_AT;
            const bool is_full = next - at == sizeof(Bytes);
            if (is_full && !may_hold(code, a, b, c)) {
                at = next;
                continue;
            }
            for (; at < next; ++at, ++code)
                if (std::ranges::find(codes, EventCode::from_bytes(code)) != codes.end() &&
                    is_wanted({file.at(at), file.end() - at}))
                    return at;
        }
    }
    return std::nullopt;
}

}  // namespace ovni
