// A stretch of a ring as the bytes of its stream.
#pragma once

#include <cstdint>
#include <vector>

#include "drain/stream_file.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

struct RingBlock {
    EventPieces bytes;
    std::vector<uint8_t> merged;  // what `bytes` points to where handlers' events are among them
    // Of these, how many bytes lie before that position of the ring, and after the one before.
    struct Inserted {
        uint64_t position, bytes;
    };
    std::vector<Inserted> inserted;
    uint64_t begin = 0;
    RingProgress after;

    // Where in `bytes` the event at that position begins, handlers' events before it included.
    uint64_t distance_to(uint64_t position) const;
};

// From where the ring is drained to `end`, with the events of handlers that interrupted others there. `all`:
// also those behind the last event.
RingBlock next_block(const Ring& ring, const RingProgress& before, uint64_t end, bool all);

// The gaps among these events, and of losses of handlers there. They count as told then.
std::vector<RingNote> take_notes(const Ring& ring, const RingProgress& before, bool all, RingProgress& after);

// Without those of handlers.
std::vector<uint8_t> copy_events(const Ring& ring, uint64_t begin, uint64_t end);

// Up to where the ring holds whole events, of a stretch that is published: its end, unless it is damaged.
uint64_t end_of_sound_events(const Ring& ring, uint64_t begin, uint64_t end);

// The first end of an event at or behind `target`, where `begin` is one and both are published.
uint64_t end_of_event(const Ring& ring, uint64_t begin, uint64_t target);

}  // namespace ovni::writer
