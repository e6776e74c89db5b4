#include "runtime/nested_emission.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "ring/signal_mask.hpp"
#include "runtime/guard.hpp"

namespace ovni::writer {
namespace {

// Some sanitizers let these signals through while their handler runs.
bool is_fault(int signal) {
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
        if (signal == fault) return true;
    return false;
}

}  // namespace

NestedEmission::NestedEmission(OwnRing& own, const sigset_t& usual_signals)
    : own_(own), stack_(own_stack()), usual_signals_(usual_signals) {}

// If the stack does not decide, an emission counts as left only while no handler can be running. That costs
// system calls, so it is looked at only if events would be lost otherwise.
bool NestedEmission::was_left(uintptr_t frame) noexcept {
    constexpr uint32_t between_looks = 64;
    uintptr_t busy = own_.window()->busy;
    if (stack_.holds(frame) && (!stack_.holds(busy) || frame >= busy))
        return stands_behind(stack_, busy, frame);
    if (has_room(OVNI_FORMAT_EVENT_MAX) || without_room_++ % between_looks != 0) return false;
    sigset_t now;
    return pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 && !may_be_in_handler(now);
}

// A handler has its signal blocked, unless its program wants otherwise. The signal that cancels threads stays
// blocked in a thread that was cancelled, whose frames are gone.
bool NestedEmission::may_be_in_handler(const sigset_t& blocked) const noexcept {
    int kept = errno;
    bool may_be = false;
    for (int signal = 1; signal < NSIG; ++signal) {
        if (signal == cancel_signal) continue;
        struct sigaction action {};
        bool has_handler = sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
                           action.sa_handler != SIG_IGN;
        bool is_blocked = sigismember(&blocked, signal) == 1;
        may_be |= is_blocked && (has_handler || sigismember(&usual_signals_, signal) != 1);
        may_be |= has_handler && (action.sa_flags & SA_NODEFER) && !is_fault(signal);
    }
    errno = kept;
    return may_be;
}

// A position between two events of the ring. The head may be ahead of it for good, if the thread was
// cancelled before it published the event that it had stored.
uint64_t NestedEmission::interrupted_at() const noexcept {
    return own_.header().published.load(std::memory_order_relaxed);
}

bool NestedEmission::has_room(size_t size) const noexcept {
    if (!own_.is_mapped() || depth_ >= RingHeader::nested_rings || size > OVNI_FORMAT_EVENT_MAX) return false;
    const NestedRing& ring = own_.header().nested[depth_];
    uint64_t used =
        ring.published.load(std::memory_order_relaxed) - ring.drained.load(std::memory_order_acquire);
    return used + sizeof used + size <= own_.ring().nested_capacity();
}

// A handler that interrupts this function may call it for the same nested ring, and returns before it goes
// on.
void NestedEmission::lose(NestedRing& ring, uint64_t clock) noexcept {
    uint64_t recorded = ring.lost_recorded.load(std::memory_order_acquire);
    if (ring.lost.load(std::memory_order_relaxed) == recorded) {
        ring.lost_from.store(clock, std::memory_order_relaxed);
        ring.lost_at.store(interrupted_at(), std::memory_order_relaxed);
    }
    ring.lost.fetch_add(1, std::memory_order_release);
}

void NestedEmission::emit(const void* event, size_t size) noexcept {
    uint32_t depth = depth_;
    NestedRing& ring = own_.header().nested[std::min(depth, RingHeader::nested_rings - 1)];
    uint64_t at = ring.published.load(std::memory_order_relaxed);
    uint64_t used = at - ring.drained.load(std::memory_order_acquire);
    if (!has_room(size)) return lose(ring, ovni_format_clock(static_cast<const uint8_t*>(event)));
    depth_ = depth + 1;
    detail::handler_fence();
    uint8_t* data = own_.ring().nested_data(depth);
    const uint64_t capacity = own_.ring().nested_capacity();
    auto put = [&](const void* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i, ++at) data[at % capacity] = static_cast<const uint8_t*>(bytes)[i];
    };
    uint64_t position = interrupted_at();
    put(&position, sizeof position);
    put(event, size);
    ring.published.store(at, std::memory_order_release);
    detail::handler_fence();
    depth_ = depth;
    if (used < capacity / 2 && used + sizeof at + size >= capacity / 2) host().wake();
}

}  // namespace ovni::writer
