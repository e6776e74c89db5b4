// The program's state when a signal interrupted it in translated code.
#pragma once

#include <ucontext.h>

#include "code/cache/block.hpp"
#include "code/cache/thread_context.hpp"

namespace ovni::code {

State state_at(const Piece& piece, uint64_t host) noexcept;

// Changes the registers to those of the program. Returns the number of instructions that were counted and
// have not been executed. The state is not `leaving`.
int64_t show_program_state(const Piece& piece, const ThreadContext& context, greg_t* registers) noexcept;

}  // namespace ovni::code
