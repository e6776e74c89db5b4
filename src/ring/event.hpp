// Events that the library itself records, as bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "ovni/emit.hpp"

namespace ovni::writer {

struct Event {
    uint8_t bytes[OVNI_FORMAT_EVENT_MAX];
    uint32_t size;
};

template <class... Args>
Event make_event(EventCode code, uint64_t clock, Args... args) {
    Event event;
    detail::store_event(event.bytes, code, clock, args...);
    event.size = static_cast<uint32_t>(OVNI_FORMAT_EVENT_HEADER + (sizeof(Args) + ... + 0u));
    return event;
}

inline bool is_life_cycle(const void* event) {
    const auto* bytes = static_cast<const uint8_t*>(event);
    return bytes[OVNI_FORMAT_CODE_AT] == 'O' && bytes[OVNI_FORMAT_CODE_AT + 1] == 'H';
}

// True for events that later events depend on: definitions, life cycle, CPUs, regions of unsorted events.
inline bool is_needed(const void* event) {
    const auto* bytes = static_cast<const uint8_t*>(event);
    uint8_t category = bytes[OVNI_FORMAT_CODE_AT + 1];
    return ovni_format_is_jumbo(bytes[0]) ||
           (bytes[OVNI_FORMAT_CODE_AT] == 'O' && (category == 'H' || category == 'A' || category == 'U'));
}

inline bool begins_life(const void* event) {
    return memcmp(static_cast<const uint8_t*>(event) + OVNI_FORMAT_CODE_AT, "OHx", 3) == 0;
}

// True if the event begins a region of unsorted events, whose clocks are not changed.
inline bool begins_region(const void* event) {
    return memcmp(static_cast<const uint8_t*>(event) + OVNI_FORMAT_CODE_AT, "OU[", 3) == 0;
}
inline bool ends_region(const void* event) {
    return memcmp(static_cast<const uint8_t*>(event) + OVNI_FORMAT_CODE_AT, "OU]", 3) == 0;
}

// ns. An event that is older than its predecessor by more than this is the program's mistake, and keeps its
// clock.
inline constexpr uint64_t longest_raise = 1'000'000'000;

inline bool is_special(const void* event) {
    const auto* bytes = static_cast<const uint8_t*>(event) + OVNI_FORMAT_CODE_AT;
    return detail::is_special(EventCode::from_bytes(bytes));
}

}  // namespace ovni::writer
