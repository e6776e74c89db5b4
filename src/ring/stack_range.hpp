// Where the stack of a thread lies: what stands there and what stands on a stack of handlers, or of a
// coroutine, is told by its address. The system cannot be asked for it, as it forgets the stack of a handler
// while that runs (SS_AUTODISARM).
#pragma once

#include <cstdint>

namespace ovni::writer {

// None where nobody tells.
struct StackRange {
    uintptr_t begin = 0, end = 0;
    bool holds(uintptr_t address) const noexcept { return address - begin < end - begin; }
};

// Of the calling thread. Needs memory.
StackRange own_stack() noexcept;

// Whether the thread that stands at `here` has left what it did at `frame` by a jump: a handler runs further
// down in the stack than what it interrupted, or on a stack of its own.
bool stands_behind(const StackRange& stack, uintptr_t frame, uintptr_t here) noexcept;

}  // namespace ovni::writer
