// A separate stack for reports: the thread's own stack may be full, for example after endless recursion that
// the program survives.
#pragma once

#include <cstdint>

namespace ovni::code {

// The stack pointer for the calling thread on that stack. Null: it keeps its stack, because it is there
// already, or because memory ran out. Uses only general registers; handlers may call it.
extern "C" [[gnu::visibility("hidden")]] void* ovni_code_own_stack() noexcept;

// Blocks all signals in the calling thread, except those of faults and SIGTRAP. Returns the previous mask.
extern "C" [[gnu::visibility("hidden")]] uint64_t ovni_code_hold_signals() noexcept;
extern "C" [[gnu::visibility("hidden")]] void ovni_code_let_in_signals(uint64_t before) noexcept;

// Call in a child of fork().
void keep_own_stack_in_child() noexcept;

// Calls function(argument) with that stack pointer, or on the caller's stack if it is null.
extern "C" [[gnu::visibility("hidden")]] void ovni_code_call_at(void* stack, void (*function)(void*),
                                                                void* argument);

}  // namespace ovni::code
