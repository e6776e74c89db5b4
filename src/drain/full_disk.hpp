// Events that cannot be written because the disk is full: they wait in the ring of a living thread while it
// has room. When the ring gets crowded, its older half is lost, because the newest events show best what goes
// wrong.
#pragma once

#include <cstdint>

#include "drain/drained_ring.hpp"

namespace ovni::writer {

class FullDisk {
 public:
    explicit FullDisk(DrainedRing& ring) : ring_(ring) {}

    // False until the time of the next attempt.
    bool is_attempt_due() const;
    void refuses();
    void takes();
    // Resets the state for another stream.
    void start_over() { next_attempt_ = 0; }

    // True if the ring is half full, or its owner needs the room. Events that a flight recorder keeps do not
    // count.
    bool is_crowded(uint64_t published) const;
    // The end of the events to give up in a crowded ring. The room of gaps and of handlers' events becomes
    // free only with the events before them.
    uint64_t end_of_older(uint64_t published) const;

 private:
    bool lacks_room_beside() const;

    DrainedRing& ring_;
    uint64_t next_attempt_ = 0;  // by the monotonic clock; 0: the last write succeeded
};

}  // namespace ovni::writer
