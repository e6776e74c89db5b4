// A stretch of a ring as the bytes of its stream.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/ring.hpp"
#include "runtime/stream_file.hpp"

namespace ovni {

struct RingBlock {
    EventPieces bytes;
    std::vector<uint8_t> merged;  // what `bytes` points to where handlers' events are among them
    RingProgress after;
};

// From where the ring is drained to `end`, with the events of handlers that interrupted others there. `all`:
// also those behind the last event.
RingBlock next_block(const Ring& ring, const RingProgress& before, uint64_t end, bool all);

// Without those of handlers.
std::vector<uint8_t> copy_events(const Ring& ring, uint64_t begin, uint64_t end);

// The first end of an event at or behind `target`, where `begin` is one and both are published.
uint64_t end_of_event(const Ring& ring, uint64_t begin, uint64_t target);

}  // namespace ovni
