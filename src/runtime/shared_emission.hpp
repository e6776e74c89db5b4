// The way of a thread's events into the buffer that all threads of the process share (OVNI_BUFFER_MODE). The
// drainer moves them from there into the ring of the thread and publishes them on its behalf; the head of the
// window only counts. A thread without a seat in the buffer stores into its ring.
//
// Owning thread only, but for end() and take_lost(). Call with is_used() true unless a function says more.
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
    // Call in a fork's child: an emission that a handler interrupted by fork() goes on there.
    void let_emission_end();
    // True if an emission was interrupted, or left.
    bool is_emitting() const { return producer_ && producer_->is_emitting(); }
    // Call if the thread was cancelled in an emission. Allowed without a shared buffer.
    void leave_emission() {
        if (producer_) producer_->leave_write();
    }

    // True if so much was emitted that the stream must be placed: it cannot stay in the ring any longer.
    bool is_place_due() noexcept;
    // Takes no lock and makes no system call. False if append() has to do it.
    bool put(const void* event, size_t size, const void* data, size_t data_size) noexcept;
    // Waits for room. What finds none in vain is counted as lost.
    void append(const void* event, size_t size, const void* data, size_t data_size);
    bool put_note(const Gap& gap);
    void lose() noexcept { producer_->lose(); }

    // The stream closes: tells the drainer up to where it has to look for events of this thread.
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
    uint64_t next_attempt_ = 0;           // to wait for room, after an attempt in vain
};

}  // namespace ovni::writer
