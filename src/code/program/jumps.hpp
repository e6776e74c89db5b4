// Ways to leave functions without returning from them: exceptions that are caught, and longjmp().
#pragma once

#include <cstdint>

namespace ovni::code {

// Call once. From then on the function is called in the thread that jumps, before any code of the program
// runs after the jump. The stack below the pointer is abandoned.
void follow_jumps(void (*unwound)(uintptr_t stack_pointer)) noexcept;

}  // namespace ovni::code
