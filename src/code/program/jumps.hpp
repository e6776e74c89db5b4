// Ways to leave functions without returning from them: exceptions that are caught, and longjmp().
#pragma once

#include <cstdint>

namespace ovni::code {

// Call once. From then on the function is called in the thread that jumps, before anything of the program
// runs behind the jump; the stack is cut off below the pointer.
void follow_jumps(void (*unwound)(uintptr_t stack_pointer)) noexcept;

}  // namespace ovni::code
