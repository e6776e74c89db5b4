// Emits a thread's events into the buffer that all threads of the process share (OVNI_BUFFER_MODE). The
// drainer moves them into the thread's ring and publishes them on its behalf; the head of the window is only
// a count. A thread without a seat in the buffer stores into its ring.
//
// Owning thread only, except for end() and take_lost(). Call with is_used() true unless a comment allows
// more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ring/gaps.hpp"
#include "ring/shared_buffer.hpp"
#include "runtime/own_ring.hpp"

namespace ovni::writer {

class SharedEmission {
 public:
    explicit SharedEmission(OwnRing& own) : own_(own) {}
    ~SharedEmission() { leave(); }
    SharedEmission(const SharedEmission&) = delete;
    SharedEmission& operator=(const SharedEmission&) = delete;

    // Takes a seat for the thread with that stack, if there is a shared buffer. Call with a new ring.
    void join(const StackRange& stack);
    bool is_used() const { return producer_ != nullptr; }
    bool is_open() const { return producer_ && producer_->is_open(); }
    // Call in a fork's child: if a handler forked inside an emission, that emission continues in the child.
    void let_emission_end();
    // True if an emission was interrupted, or left.
    bool is_emitting() const { return producer_ && producer_->is_emitting(); }
    // Call if the thread was cancelled in an emission. Allowed without a shared buffer.
    void leave_emission() {
        if (producer_) producer_->leave_write();
    }

    // True if the ring cannot hold the emitted events any longer, so the stream must be placed.
    bool is_place_due() noexcept;
    // Takes no lock and makes no system call. False if append() has to do it.
    bool put(const void* event, size_t size, const void* data, size_t data_size) noexcept;
    // Waits for room. If none becomes free, the event is counted as lost.
    void append(const void* event, size_t size, const void* data, size_t data_size);
    bool put_note(const Gap& gap);
    void lose() noexcept { producer_->lose(); }

    // Call when the stream closes: notes for the drainer up to which position the buffer holds events of this
    // thread.
    void end();
    // Moves the count of lost events into the header of the ring.
    void take_lost();

 private:
    using Outcome = SharedProducer::Outcome;
    using NoRoom = SharedProducer::NoRoom;

    void leave();
    Outcome put_event(const void* event, size_t size, const void* data, size_t data_size);
    void append_in_parts(const void* event, size_t size, const void* data, size_t data_size);
    template <class Put>
    bool put_patiently(Put put);
    template <class Put>
    Outcome put_after_waiting(Put put);

    OwnRing& own_;
    SharedProducer* producer_ = nullptr;  // in the ThreadPage; null: the thread stores into its ring
    uint64_t place_at_ = UINT64_MAX;      // head from which is_place_due() asks
    uint64_t next_attempt_ = 0;           // when to wait for room again after a failed wait
};

}  // namespace ovni::writer
