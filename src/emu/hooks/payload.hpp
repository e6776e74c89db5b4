// Arguments of events in hooks: packed one after the other, and checked against the size of the payload.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Throws Error if the payload is shorter. In a jumbo event `offset` counts from its size field.
template <class T>
T argument(const EventView& event, size_t offset) {
    std::span<const uint8_t> payload = event.payload();
    if (offset + sizeof(T) > payload.size())
        throw Error(fmt::format("a payload of {} bytes is too short", payload.size()));
    T value;
    std::memcpy(&value, payload.data() + offset, sizeof value);
    return value;
}

inline void expect_payload(const EventView& event, size_t size) {
    if (event.jumbo() || event.payload().size() != size)
        throw Error(fmt::format("a payload of {} bytes, not {}", event.payload().size(), size));
}

// The data of a jumbo event, without its size field. Throws Error for a normal event.
inline std::span<const uint8_t> jumbo_data(const EventView& event) {
    if (!event.jumbo()) throw Error("the event is not a jumbo event");
    return event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
}

}  // namespace ovni
