// A stretch of a ring as the bytes of its stream.
#pragma once

#include <cstdint>
#include <vector>

#include "drain/stream_file.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

struct RingBlock {
    EventPieces bytes;
    std::vector<uint8_t> merged;  // `bytes` points there if events of handlers are among them
    // How many bytes of handlers' events lie before a position of the ring, and after the position before.
    struct Inserted {
        uint64_t position, bytes;
    };
    std::vector<Inserted> inserted;
    uint64_t begin = 0;
    RingProgress after;

    // The place in `bytes` where the event at that position begins. Handlers' events before it count.
    uint64_t distance_to(uint64_t position) const;
};

// The events from where the ring is drained to `end`, with those of handlers that interrupted them. `all`:
// also events of handlers behind the last event.
RingBlock next_block(const Ring& ring, const RingProgress& before, uint64_t end, bool all);

// The gaps among these events, losses of handlers included. `after` counts them as taken.
std::vector<RingNote> take_notes(const Ring& ring, const RingProgress& before, bool all, RingProgress& after);

// The events of the main ring alone.
std::vector<uint8_t> copy_events(const Ring& ring, uint64_t begin, uint64_t end);

// The end of the whole events of a published stretch: `end`, unless an event is damaged.
uint64_t end_of_sound_events(const Ring& ring, uint64_t begin, uint64_t end);

// The first end of an event at or behind `target`. Call with `begin` the end of an event, both published.
uint64_t end_of_event(const Ring& ring, uint64_t begin, uint64_t target);

}  // namespace ovni::writer
