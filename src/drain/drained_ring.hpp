// The ring of a stream on the drainer's side: how far it is drained, whether it is sound, and what is
// reported to its owner. commit() stores in the ring all that another drainer needs to continue.
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

    // True once after each time that the owner has opened the ring for another stream.
    bool was_opened_again();
    // True if the place is settled. If a reader requests the stream, settles the noted place, because a
    // thread that hangs does not.
    bool is_placed();
    bool is_reading_wanted() const;

    // True if the ring was overwritten by other code. The stream is valid so far; nothing is added.
    bool is_damaged() const { return is_damaged_; }
    bool look_for_damage();
    void report_damage();
    void set_damaged(bool is_damaged) { is_damaged_ = is_damaged; }

    // True if so many eighths of the room for gaps, or for events of handlers, are in use.
    bool is_filled_beside(uint64_t eighths) const;
    // True if handlers have lost events that are in no gap.
    bool has_lost_of_handlers() const;
    // The clock of the last event if all published events are drained; else 0.
    uint64_t last_clock() const;
    // Number of events lost before the ring and after it.
    uint64_t lost() const;

    // Call when the events before `after.drained` are in the stream or lost: gives their room back to the
    // owner.
    void commit(const RingProgress& after);
    // Reports the progress to the owner, including the progress of a drainer that died before it did so.
    void announce();
    // Notes that the disk cannot take the events before `position`: threads do not wait for them.
    void refuse(uint64_t position);
    // Marks the ring as done.
    void finish();

 private:
    void wake_owner();

    Ring ring_;
    uint32_t generation_ = 0;
    bool is_damaged_ = false;
};

}  // namespace ovni::writer
