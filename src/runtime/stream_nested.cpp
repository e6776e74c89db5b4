// How events of a signal handler get into a ring while the handler interrupts an emission.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "runtime/stream.hpp"

namespace ovni::writer {
namespace {

// Those of faults are let through while a handler of theirs runs by some sanitizers.
bool is_fault(int signal) {
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
        if (signal == fault) return true;
    return false;
}

}  // namespace

// Where the stack does not tell, it can only be said where no handler can be running, which is asked when the
// events would be lost otherwise.
bool Stream::was_left(uintptr_t frame) noexcept {
    constexpr uint32_t between_looks = 64;
    if (stack_.holds(frame) && (!stack_.holds(window_->busy) || frame >= window_->busy))
        return stands_behind(stack_, window_->busy, frame);
    if (has_nested_room(OVNI_FORMAT_EVENT_MAX) || without_nested_room_++ % between_looks != 0) return false;
    return !may_be_in_handler();
}

// A handler has its signal blocked, unless its program wants otherwise.
bool Stream::may_be_in_handler() const noexcept {
    int kept = errno;
    sigset_t now;
    if (pthread_sigmask(SIG_BLOCK, nullptr, &now) != 0) return true;
    bool may_be = false;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        bool has_handler = sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
                           action.sa_handler != SIG_IGN;
        bool is_blocked = sigismember(&now, signal) == 1;
        may_be |= is_blocked && (has_handler || sigismember(&usual_signals_, signal) != 1);
        may_be |= has_handler && (action.sa_flags & SA_NODEFER) && !is_fault(signal);
    }
    errno = kept;
    return may_be;
}

// Between two events of the ring.
uint64_t Stream::interrupted_at() const noexcept {
    return is_inside() ? header().published.load(std::memory_order_relaxed) : window_->head;
}

bool Stream::has_nested_room(size_t size) const noexcept {
    if (!ring_.is_mapped() || nested_depth_ >= RingHeader::nested_rings || size > OVNI_FORMAT_EVENT_MAX)
        return false;
    const NestedRing& ring = header().nested[nested_depth_];
    uint64_t used =
        ring.published.load(std::memory_order_relaxed) - ring.drained.load(std::memory_order_acquire);
    return used + sizeof used + size <= Ring::nested_bytes;
}

// A handler that interrupts this one does the same to the same ring, if at all, and is done before it goes
// on.
void Stream::lose_nested(NestedRing& ring, uint64_t clock) noexcept {
    uint64_t told = ring.lost_told.load(std::memory_order_acquire);
    if (ring.lost.load(std::memory_order_relaxed) == told) {
        ring.lost_from.store(clock, std::memory_order_relaxed);
        ring.lost_at.store(interrupted_at(), std::memory_order_relaxed);
    }
    ring.lost.fetch_add(1, std::memory_order_release);
}

// Nothing here may wait or take a lock: the thread is in the middle of an emission.
void Stream::emit_nested(const void* event, size_t size) noexcept {
    if (is_closed()) return;
    if (!ring_.is_mapped()) return host().count_lost(1);
    if (producer_) return producer_->lose();
    uint32_t depth = nested_depth_;
    NestedRing& ring = header().nested[std::min(depth, RingHeader::nested_rings - 1)];
    uint64_t at = ring.published.load(std::memory_order_relaxed);
    uint64_t used = at - ring.drained.load(std::memory_order_acquire);
    if (!has_nested_room(size))
        return lose_nested(ring, ovni_format_clock(static_cast<const uint8_t*>(event)));
    nested_depth_ = depth + 1;
    detail::handler_fence();
    uint8_t* data = ring_.ring.nested_data(depth);
    auto put = [&](const void* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i, ++at)
            data[at % Ring::nested_bytes] = static_cast<const uint8_t*>(bytes)[i];
    };
    uint64_t position = interrupted_at();
    put(&position, sizeof position);
    put(event, size);
    ring.published.store(at, std::memory_order_release);
    detail::handler_fence();
    nested_depth_ = depth;
    if (used < Ring::nested_bytes / 2 && used + sizeof at + size >= Ring::nested_bytes / 2) host().wake();
}

}  // namespace ovni::writer
