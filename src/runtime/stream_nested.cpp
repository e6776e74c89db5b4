// How events of a signal handler get into a ring while the handler interrupts an emission.
#include <pthread.h>
#include <signal.h>

#include <algorithm>

#include "runtime/stream.hpp"

namespace ovni {

// A handler that runs has its own signal blocked, unless its program wants otherwise; and hardly one emits so
// much.
bool Stream::was_left() noexcept {
    constexpr uint32_t many = 64;
    if (interrupted_.busy != window_->busy || interrupted_.head != window_->head)
        interrupted_ = {window_->busy, window_->head, 0};
    if (++interrupted_.times < many) return false;
    interrupted_.times = 0;
    sigset_t now;
    if (pthread_sigmask(SIG_BLOCK, nullptr, &now) != 0) return false;
    for (int signal = 1; signal < NSIG; ++signal)
        if (sigismember(&now, signal) == 1 && sigismember(&usual_signals_, signal) != 1) return false;
    return true;
}

// A handler that interrupts this one does the same to the same ring, if at all, and is done before it goes
// on.
void Stream::lose_nested(NestedRing& ring, uint64_t clock) noexcept {
    uint64_t told = ring.lost_told.load(std::memory_order_acquire);
    if (ring.lost.load(std::memory_order_relaxed) == told) {
        ring.lost_from.store(clock, std::memory_order_relaxed);
        ring.lost_at.store(window_->head, std::memory_order_relaxed);
    }
    ring.lost.fetch_add(1, std::memory_order_release);
}

// Nothing here may wait or take a lock: the thread is in the middle of an emission.
void Stream::emit_nested(const void* event, size_t size) noexcept {
    uint32_t depth = nested_depth_;
    NestedRing& ring = header().nested[std::min(depth, RingHeader::nested_rings - 1)];
    uint64_t at = ring.published.load(std::memory_order_relaxed);
    uint64_t used = at - ring.drained.load(std::memory_order_acquire);
    bool fits = depth < RingHeader::nested_rings && size <= OVNI_FORMAT_EVENT_MAX &&
                used + sizeof at + size <= Ring::nested_bytes;
    if (!fits) return lose_nested(ring, ovni_format_clock(static_cast<const uint8_t*>(event)));
    nested_depth_ = depth + 1;
    detail::handler_fence();
    uint8_t* data = ring_.ring.nested_data(depth);
    auto put = [&](const void* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i, ++at)
            data[at % Ring::nested_bytes] = static_cast<const uint8_t*>(bytes)[i];
    };
    uint64_t position = window_->head;
    put(&position, sizeof position);
    put(event, size);
    ring.published.store(at, std::memory_order_release);
    detail::handler_fence();
    nested_depth_ = depth;
    if (used < Ring::nested_bytes / 2 && used + sizeof at + size >= Ring::nested_bytes / 2) host().wake();
}

}  // namespace ovni
