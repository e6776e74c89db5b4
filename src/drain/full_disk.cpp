// Events that the disk refuses: they wait in the ring of a living thread while that has room.
#include <algorithm>
#include <utility>

#include "drain/drained_stream.hpp"
#include "drain/flight.hpp"
#include "ring/futex.hpp"
#include "ring/session.hpp"

namespace ovni::writer {
namespace {

constexpr uint64_t between_attempts = 100'000'000;  // ns

}  // namespace

// The disk refuses, and the ring has room enough until the next attempt.
bool DrainedStream::wait_for_room(uint64_t file_end) {
    if (file_.is_open()) file_.cut(file_end);
    forget();
    next_attempt_ = monotonic_clock() + between_attempts;
    return false;
}

// Nobody waits for these events.
void DrainedStream::tell_refused(uint64_t published) {
    RingHeader& h = header();
    h.refused.store(published, std::memory_order_release);
    h.drained_blocks.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(h.drained_blocks);
}

// The newest events say most about what goes wrong, so they stay if there is no room for all. Gaps and events
// of handlers get their room back behind the events before them alone.
void DrainedStream::give_up_older(uint64_t published) {
    RingHeader& h = header();
    const uint64_t begin = progress().drained, half = begin + (published - begin) / 2;
    const uint64_t needed = std::min(h.needed.load(std::memory_order_acquire), published);
    if (h.kept > 0)
        give_up_until(std::max(kept_from(h, progress(), published), needed));
    else if (lacks_room_beside())
        write_until(published, false);
    else
        write_until(end_of_event(ring_, begin, std::max(half, needed)), false);
}

// Events wait for room on disk until the ring is half full, or its owner needs the room. What a flight
// recorder keeps takes none.
bool DrainedStream::is_crowded(uint64_t published) const {
    const RingHeader& h = header();
    const uint64_t drained = progress().drained, waiting = published - drained;
    return h.needed.load(std::memory_order_acquire) > drained ||
           2 * (waiting - std::min(waiting, h.kept)) >= ring_.capacity() - h.kept || lacks_room_beside();
}

// For gaps, or for events of handlers.
bool DrainedStream::lacks_room_beside() const {
    const RingHeader& h = header();
    const RingProgress& now = progress();
    const auto is_nearly_full = [](uint64_t used, uint64_t room) { return used >= room - room / 8; };
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d)
        if (is_nearly_full(h.nested[d].published.load(std::memory_order_acquire) - now.nested_drained[d],
                           ring_.nested_capacity()))
            return true;
    return is_nearly_full(h.notes_added.load(std::memory_order_acquire) - now.notes_taken,
                          RingHeader::most_notes);
}

// The block becomes what fits: the rest waits. Handlers' events have no end of their own in the ring.
size_t DrainedStream::shorten(RingBlock& block, const RingProgress& before, size_t done) {
    RingBlock shorter = next_block(ring_, before, before.drained + done, false);
    if (done > 0 && block.merged.empty() && shorter.merged.empty()) {
        shorter.after.skipped = block.after.skipped;
        block = std::move(shorter);
        damaged_ = false;  // what comes behind is looked at again
        return done;
    }
    *written_ -= done;
    return 0;
}

}  // namespace ovni::writer
