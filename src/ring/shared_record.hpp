// The sender and the kind of a record in the shared buffer: an event, a note of a gap, or a part of an event
// that is too large for one record. Threads write these codes, the drainer reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ovni/event_code.hpp"

namespace ovni::writer {

// The generation of a ring distinguishes its users.
constexpr uint64_t sender_of(uint32_t ring, uint32_t generation) {
    return uint64_t{ring} << 32 | generation;
}

// Codes of jumbo records. A note is a RingNote, for the position of its record.
inline constexpr EventCode record_is_note = EventCode::from_bits(1);
inline constexpr EventCode record_is_part = EventCode::from_bits(2);
inline constexpr EventCode record_is_last_part = EventCode::from_bits(3);
// The largest part of an event in one record, which must fit into a quarter of the smallest buffer.
inline constexpr size_t largest_part = size_t{32} << 10;

}  // namespace ovni::writer
