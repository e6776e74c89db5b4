// The range of a thread's stack, to distinguish frames there from frames on the stack of a handler or
// coroutine. The system cannot tell: it forgets the stack of a handler while the handler runs
// (SS_AUTODISARM).
#pragma once

#include <cstdint>

namespace ovni::writer {

// Empty if unknown.
struct StackRange {
    uintptr_t begin = 0, end = 0;
    bool holds(uintptr_t address) const noexcept { return address - begin < end - begin; }
};

// The stack of the calling thread. Needs memory.
StackRange own_stack() noexcept;

// True if a thread at stack address `here` has left its frame at `frame` by a jump. A handler would run
// further down in the stack, or on another stack.
bool stands_behind(const StackRange& stack, uintptr_t frame, uintptr_t here) noexcept;

}  // namespace ovni::writer
