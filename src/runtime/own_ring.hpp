// The ring of one thread and the window through which the thread stores into it (ovni/emit.hpp). Members of
// Stream that need the ring share this object; Stream owns it. What lies in the ThreadPage is wiped in a
// fork's child: the child finds an empty window.
//
// A closed stream that is opened again gets another ring. A thread without memory has no window, or a window
// without a ring.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ovni/emit.hpp"
#include "ring/shared_buffer.hpp"
#include "ring/stream_note.hpp"
#include "runtime/host.hpp"
#include "runtime/open_states.hpp"

namespace ovni::writer {

class Stream;

// The window comes first: Stream::of() finds the page by it.
struct ThreadPage {
    ovni_private_window window;
    SharedProducer producer;
    OpenStates states;
    Stream* owner;
};

// A wait for room ends after so many rounds of 20 ms without progress. The next wait begins this much later.
inline constexpr int most_waits = 100;
inline constexpr uint64_t between_attempts = 10'000'000'000;

// `page` stays mapped, because an interrupted reading may still use it.
void use_clock(ovni_private_window& window, ClockPage& page);

class OwnRing {
 public:
    // The C API stores a whole ovni_ev whatever its size.
    static constexpr uint64_t slack = OVNI_FORMAT_EVENT_MAX;

    OwnRing(Stream* owner, pid_t tid);
    ~OwnRing();
    OwnRing(const OwnRing&) = delete;
    OwnRing& operator=(const OwnRing&) = delete;

    // Gets a ring from the host. False, after a message, if there is no memory.
    bool open(pid_t tid, Host::Size size);
    // Replaces the small ring by a full one with a copy of its bytes and notes, and returns the small one.
    // The new ring is not open yet. Returns an unmapped ring if there is no room for a full one.
    RingLease grow(pid_t tid);
    bool is_small() const { return is_mapped() && ring().is_small(); }
    void give_back() { host().give_back(std::move(lease_)); }

    // Allowed without a ring.
    bool is_mapped() const { return lease_.is_mapped(); }
    ovni_private_window* window() const { return window_; }  // null without memory

    // Call with a ring.
    const RingLease& lease() const { return lease_; }
    // Writes the note, unless it is already there. False with errno.
    bool write_note(const StreamNote& note);
    const Ring& ring() const { return lease_.ring; }
    RingHeader& header() const { return lease_.header(); }
    ThreadPage& page() const { return *reinterpret_cast<ThreadPage*>(window_); }
    // Changed only by its thread; a thread that ends the process reads it, too.
    uint64_t head() const { return __atomic_load_n(&window_->head, __ATOMIC_RELAXED); }
    void set_head(uint64_t head) { __atomic_store_n(&window_->head, head, __ATOMIC_RELAXED); }
    bool is_placed() const { return header().place.load(std::memory_order_acquire) == RingPlace::settled; }
    // True if events of handlers are in the nested rings.
    bool holds_nested() const {
        for (const NestedRing& nested : header().nested)
            if (nested.published.load(std::memory_order_relaxed) > 0 ||
                nested.lost.load(std::memory_order_relaxed) > 0)
                return true;
        return false;
    }
    bool has_room(uint64_t bytes) const {
        uint64_t drained = header().drained.load(std::memory_order_acquire);
        return head() + bytes + slack <= drained + ring().capacity();
    }
    // The position that the drainer has to reach to make room for `bytes`. Call if there is no room.
    uint64_t room_for(uint64_t bytes) const { return head() + bytes + slack - ring().capacity(); }
    // Sets the position up to which the thread stores without coming here.
    void count_loss() { __atomic_store_n(&window_->losses, window_->losses + 1, __ATOMIC_RELAXED); }
    void set_limit(uint64_t limit) { __atomic_store_n(&window_->limit, limit, __ATOMIC_RELAXED); }
    void store(const void* bytes, size_t size) {
        ring().put(head(), bytes, size);
        set_head(head() + size);
    }
    void publish() { header().published.store(head(), std::memory_order_release); }
    void follow_clock(uint64_t clock) {
        if (!in_region) window_->last = std::max(window_->last, clock);
    }

    bool in_region = false;  // of unsorted events
    uint64_t lost = 0;       // events that the drainer does not count

 private:
    ovni_private_window* window_ = nullptr;  // in a ThreadPage
    RingLease lease_;
};

}  // namespace ovni::writer
