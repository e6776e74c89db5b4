// The code of a runtime that reports through OMPT. It may report places inside itself for calls of the
// program; such places are ignored.
#pragma once

namespace ovni::openmp {

// `code`: an address in the runtime.
void note_runtime_code(const void* code) noexcept;

bool is_runtime_code(const void* address) noexcept;

// Call in a callback: where the program called the runtime. Null if unknown. Slow.
const void* caller_of_runtime() noexcept;

}  // namespace ovni::openmp
