// Names of places in the program's code, for labels. Slow: reads files. Needs no debugging information.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::openmp {

// Whether an address is a return address, or the first address of a function.
enum class Address : uint8_t { return_of_call, begin };

// Writes "function+0x1f", "function" at its begin, or "file+0x1234" if no function is known there. At most
// `size` bytes with the zero at the end; size > 0.
void name_code(const void* address, Address kind, char* text, size_t size) noexcept;

}  // namespace ovni::openmp
