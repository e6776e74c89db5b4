// A block of events of a ring, as bytes of its stream.
#pragma once

#include <cstdint>
#include <vector>

#include "drain/stream_file.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

struct RingBlock {
    EventPieces bytes;
    std::vector<uint8_t> merged;  // `bytes` points there if events of handlers are among them
    // The number of bytes of handlers' events between the previous position and this position of the ring.
    struct Inserted {
        uint64_t position, bytes;
    };
    std::vector<Inserted> inserted;
    uint64_t begin = 0;
    RingProgress after;

    // The offset in `bytes` of the event at `position`, including handlers' events before it.
    uint64_t distance_to(uint64_t position) const;
};

// The events from the drained position to `end`, with the events of handlers that interrupted them. `all`:
// includes events of handlers after the last event.
RingBlock next_block(const Ring& ring, const RingProgress& before, uint64_t end, bool all);

// The gaps among these events, losses of handlers included. `after` counts them as taken.
std::vector<RingNote> take_notes(const Ring& ring, const RingProgress& before, bool all, RingProgress& after);

// The events of the main ring alone.
std::vector<uint8_t> copy_events(const Ring& ring, uint64_t begin, uint64_t end);

// The end of the valid events from `begin`: `end`, unless an event is damaged.
uint64_t end_of_sound_events(const Ring& ring, uint64_t begin, uint64_t end);

// The first end of an event at or after `target`. `begin` is the end of an event; both are published.
uint64_t end_of_event(const Ring& ring, uint64_t begin, uint64_t target);

}  // namespace ovni::writer
