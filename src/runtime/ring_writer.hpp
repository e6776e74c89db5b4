// Writes a thread's events into its ring, or into the shared buffer if there is one: makes room, stores,
// publishes, and notes losses. A loss that could not be noted yet is noted before the next event.
//
// Call with the stream's lock held, inside a SlowPath and with a ring, unless a comment allows more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ring/gaps.hpp"
#include "runtime/own_ring.hpp"
#include "runtime/place.hpp"
#include "runtime/shared_emission.hpp"

namespace ovni::writer {

class RingWriter {
 public:
    RingWriter(OwnRing& own, Place& place, SharedEmission& shared)
        : own_(own), place_(place), shared_(shared) {}

    // Stores and publishes an event. Without a ring or room it is lost, and counted.
    void append(const void* event, size_t size, const void* data = nullptr, size_t data_size = 0);
    // True while a change of recording is shown: then no event is discarded without a wait for room.
    void need_all(bool all) { all_needed_ = all; }
    // Sets the position up to which the thread may store without coming here. Call after every change of the
    // ring. Allowed without a ring.
    void refresh_limit();
    // Waits until the drainer has passed `position`. Requests that a flight recorder writes.
    void wait_until_drained(uint64_t position);

    // Adds a note, and waits some time for room for `notes` notes, including this one. False if there is
    // none.
    bool add_note_patiently(const Gap& gap, uint32_t notes);

    // Items that cannot be stored during the present emission are appended before the next event: the two
    // events of a flush, a gap, and the gap of discarded events.
    void postpone_flush(uint64_t begin, uint64_t end);
    void postpone(const Gap& gap);
    bool is_flush_due() const { return flush_.has_value(); }
    void forget_flush() { flush_.reset(); }
    void append_flush();      // allowed without a ring
    void settle_postponed();  // allowed without a ring
    // False if there is no room to note them yet.
    bool settle_discarded();

 private:
    struct Discarded {
        uint64_t events = 0, from = 0, to = 0;
    };
    struct Flush {
        uint64_t begin, end;
    };

    bool make_room(uint64_t bytes, bool may_be_lost);
    bool wait_for_room(uint64_t bytes);
    void discard(const void* event);
    bool add_note(const Gap& gap);
    bool has_room_for_notes(uint32_t notes) const;
    bool may_notes_be_taken() const;

    OwnRing& own_;
    Place& place_;
    SharedEmission& shared_;
    bool all_needed_ = false;
    std::optional<Flush> flush_;
    std::optional<Gap> postponed_;
    Discarded discarded_;
    uint64_t next_attempt_ = 0;       // to wait for room, after an attempt in vain
    uint64_t next_note_attempt_ = 0;  // when to wait for room for a note again
};

}  // namespace ovni::writer
