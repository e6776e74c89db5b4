// Emission in a signal handler that interrupts an emission of its thread, or another slow path. The main ring
// must not be used there. So the event goes into a nested ring, with its position in the main ring, and the
// drainer merges the two. Nothing here waits, takes a lock or needs memory. Owning thread only.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

#include "ring/stack_range.hpp"
#include "runtime/own_ring.hpp"

namespace ovni::writer {

class NestedEmission {
 public:
    // `usual_signals`: the signals that the thread has blocked outside of handlers.
    NestedEmission(OwnRing& own, const sigset_t& usual_signals);

    const StackRange& stack() const { return stack_; }
    // True if the emission in the window was abandoned by a jump. `frame`: address of the caller's frame.
    bool was_left(uintptr_t frame) noexcept;
    // False if no handler can be running, to judge by the blocked signals. Makes system calls.
    bool may_be_in_handler(const sigset_t& blocked) const noexcept;
    // Call for an emission outside of handlers.
    void start_over() { depth_ = 0; }
    // Call with a ring. An event without room is counted as lost.
    void emit(const void* event, size_t size) noexcept;

 private:
    uint64_t interrupted_at() const noexcept;
    bool has_room(size_t size) const noexcept;
    void lose(NestedRing& ring, uint64_t clock) noexcept;

    OwnRing& own_;
    const StackRange stack_;
    const sigset_t usual_signals_;
    uint32_t depth_ = 0;         // nesting depth of handlers
    uint32_t without_room_ = 0;  // calls of was_left() without room
};

}  // namespace ovni::writer
