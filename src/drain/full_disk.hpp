// Events that the disk refuses: they wait in the ring of a living thread while that has room. When a ring
// gets crowded, its older half is lost, as the newest events say most about what goes wrong.
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
    // Another stream comes.
    void start_over() { next_attempt_ = 0; }

    // True if the ring is half full, or its owner needs the room. What a flight recorder keeps takes none.
    bool is_crowded(uint64_t published) const;
    // The end of the events that make room in a crowded ring. Gaps and events of handlers get their room back
    // behind the events before them alone.
    uint64_t end_of_older(uint64_t published) const;

 private:
    bool lacks_room_beside() const;

    DrainedRing& ring_;
    uint64_t next_attempt_ = 0;  // by the monotonic clock; 0: the disk took the last events
};

}  // namespace ovni::writer
