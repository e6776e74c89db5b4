// The ring of a stream, as the drainer sees it: how far it is drained, whether it is sound, and what the
// owner learns. All that another drainer needs to go on is in the ring, and valid from commit() on.
#pragma once

#include <cstdint>
#include <utility>

#include "ring/ring.hpp"

namespace ovni::writer {

class DrainedRing {
 public:
    explicit DrainedRing(Ring ring) : ring_(std::move(ring)) {}

    const Ring& ring() const { return ring_; }
    RingHeader& header() const { return ring_.header(); }
    const RingProgress& progress() const { return header().progress[header().current.load() % 2]; }
    const RingMoved& moved() const { return header().moved[header().current_moved.load() % 2]; }

    // True once after every time that the owner has opened the ring, for another stream.
    bool was_opened_again();
    // A thread that hangs settles nothing any more, so what it has noted holds if somebody wants to read.
    bool is_placed();
    bool is_reading_wanted() const;

    // Something else wrote into the ring. The stream is whole so far; nothing follows.
    bool is_damaged() const { return is_damaged_; }
    bool look_for_damage();
    void report_damage();
    void set_damaged(bool is_damaged) { is_damaged_ = is_damaged; }

    // The clock of the last event, if nothing was published since it was drained; else 0.
    uint64_t last_clock() const;
    // Events that got lost on their way into the ring and from it.
    uint64_t lost() const;

    // The events before `after.drained` are in the stream, or lost: their room is the owner's again.
    void commit(const RingProgress& after);
    // The owner learns of the progress, even if a drainer died before it could say so.
    void announce();
    // The disk refuses the events before that position: nobody waits for them.
    void refuse(uint64_t position);
    // Nothing is left to do.
    void finish();

 private:
    void wake_owner();

    Ring ring_;
    uint32_t generation_ = 0;
    bool is_damaged_ = false;
};

}  // namespace ovni::writer
