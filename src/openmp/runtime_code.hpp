// The code of a runtime that reports through OMPT. What it does for a call of the program, it may report as
// done at a place of its own: such places say nothing about the program.
#pragma once

namespace ovni::openmp {

// `code`: an address in the runtime.
void note_runtime_code(const void* code) noexcept;

bool is_runtime_code(const void* address) noexcept;

// Called in a callback: the place in the program that the runtime was called at. Null if it is not known.
// Slow.
const void* caller_of_runtime() noexcept;

}  // namespace ovni::openmp
