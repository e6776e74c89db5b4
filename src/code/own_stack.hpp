// A stack of ours for reports: the thread's own may have no more room, as where a function calls itself for
// ever and the program survives that.
#pragma once

#include <cstdint>

namespace ovni::code {

// The place at which the calling thread goes on there. Null: it stays where it is, because it is there
// already, or because there is no memory. Uses general registers only; handlers may call it.
extern "C" [[gnu::visibility("hidden")]] void* ovni_code_own_stack() noexcept;

// No signal comes in the calling thread, but for SIGTRAP, until those that were let in before come again.
extern "C" [[gnu::visibility("hidden")]] uint64_t ovni_code_hold_signals() noexcept;
extern "C" [[gnu::visibility("hidden")]] void ovni_code_let_in_signals(uint64_t before) noexcept;

// Call in a child of fork().
void keep_own_stack_in_child() noexcept;

// Calls function(argument) at that place of the stack, or where the caller is if that is null.
extern "C" [[gnu::visibility("hidden")]] void ovni_code_call_at(void* stack, void (*function)(void*),
                                                                void* argument);

}  // namespace ovni::code
