#include "drain/drained_ring.hpp"

#include <algorithm>
#include <vector>

#include "drain/ring_block.hpp"
#include "ring/diagnostics.hpp"
#include "ring/futex.hpp"

namespace ovni::writer {

bool DrainedRing::was_opened_again() {
    const uint32_t generation = header().generation.load(std::memory_order_acquire);
    return std::exchange(generation_, generation) != generation;
}

bool DrainedRing::is_placed() {
    RingHeader& h = header();
    RingPlace place = h.place.load(std::memory_order_acquire);
    if (place == RingPlace::noted && is_reading_wanted() &&
        h.place.compare_exchange_strong(place, RingPlace::settled))
        return true;
    return place == RingPlace::settled;
}

bool DrainedRing::is_reading_wanted() const {
    return header().readings.load(std::memory_order_acquire) !=
           header().readings_made.load(std::memory_order_relaxed);
}

bool DrainedRing::look_for_damage() {
    if (!is_damaged_ && !ring_.is_sound()) report_damage();
    return is_damaged_;
}

void DrainedRing::report_damage() {
    is_damaged_ = true;
    complain(Trouble::memory, "drain", "the memory of the events of thread %d is damaged: they end here",
             header().tid);
}

bool DrainedRing::is_filled_beside(uint64_t eighths) const {
    const RingHeader& h = header();
    const RingProgress& now = progress();
    const auto is_filled = [&](uint64_t used, uint64_t room) { return used >= room / 8 * eighths; };
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d)
        if (is_filled(h.nested[d].published.load(std::memory_order_acquire) - now.nested_drained[d],
                      ring_.nested_capacity()))
            return true;
    return is_filled(h.notes_added.load(std::memory_order_acquire) - now.notes_taken, RingHeader::most_notes);
}

bool DrainedRing::has_lost_of_handlers() const {
    const RingProgress& now = progress();
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d)
        if (header().nested[d].lost.load(std::memory_order_acquire) != now.nested_lost_recorded[d])
            return true;
    return false;
}

// The last block lies in the ring still, as nothing was published since.
uint64_t DrainedRing::last_clock() const {
    const RingProgress& now = progress();
    if (now.drained - now.last_block > ring_.capacity()) return 0;
    std::vector<uint8_t> bytes = copy_events(ring_, now.last_block, now.drained);
    return std::max(survey(bytes.data(), bytes.size()).last_clock, now.last_of_handlers);
}

uint64_t DrainedRing::lost() const {
    uint64_t lost = progress().lost + moved().lost;
    for (const NestedRing& nested : header().nested) lost += nested.lost.load(std::memory_order_relaxed);
    return lost;
}

void DrainedRing::commit(const RingProgress& after) {
    RingHeader& h = header();
    uint32_t next = h.current.load(std::memory_order_relaxed) + 1;
    h.progress[next % 2] = after;
    h.current.store(next, std::memory_order_release);
    announce();
}

void DrainedRing::announce() {
    RingHeader& h = header();
    const RingProgress& after = progress();
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d) {
        h.nested[d].drained.store(after.nested_drained[d], std::memory_order_release);
        h.nested[d].lost_recorded.store(after.nested_lost_recorded[d], std::memory_order_release);
    }
    h.notes_taken.store(after.notes_taken, std::memory_order_release);
    h.drained.store(after.drained, std::memory_order_release);
    wake_owner();
}

void DrainedRing::refuse(uint64_t position) {
    header().refused.store(position, std::memory_order_release);
    wake_owner();
}

void DrainedRing::finish() {
    header().state.store(RingState::done, std::memory_order_release);
    wake_owner();
}

void DrainedRing::wake_owner() {
    header().drained_blocks.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(header().drained_blocks);
}

}  // namespace ovni::writer
