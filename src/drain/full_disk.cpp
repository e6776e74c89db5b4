#include "drain/full_disk.hpp"

#include <algorithm>

#include "drain/flight.hpp"
#include "drain/ring_block.hpp"
#include "ring/session.hpp"

namespace ovni::writer {
namespace {

constexpr uint64_t between_attempts = 100'000'000;  // ns

}  // namespace

bool FullDisk::is_attempt_due() const {
    return monotonic_clock() >= next_attempt_;
}

void FullDisk::refuses() {
    next_attempt_ = monotonic_clock() + between_attempts;
}

void FullDisk::takes() {
    next_attempt_ = 0;
    ring_.header().refused.store(0, std::memory_order_relaxed);
}

bool FullDisk::is_crowded(uint64_t published) const {
    const RingHeader& h = ring_.header();
    const uint64_t drained = ring_.progress().drained, waiting = published - drained;
    return h.needed.load(std::memory_order_acquire) > drained ||
           2 * (waiting - std::min(waiting, h.kept)) >= ring_.ring().capacity() - h.kept ||
           lacks_room_beside();
}

uint64_t FullDisk::end_of_older(uint64_t published) const {
    const RingHeader& h = ring_.header();
    const uint64_t begin = ring_.progress().drained, half = begin + (published - begin) / 2;
    const uint64_t needed = std::min(h.needed.load(std::memory_order_acquire), published);
    if (h.kept > 0) return std::max(kept_from(h, ring_.progress(), published), needed);
    if (lacks_room_beside()) return published;
    return end_of_event(ring_.ring(), begin, std::max(half, needed));
}

// For gaps, or for events of handlers.
bool FullDisk::lacks_room_beside() const {
    constexpr uint64_t nearly_all = 7;
    return ring_.is_filled_beside(nearly_all);
}

}  // namespace ovni::writer
