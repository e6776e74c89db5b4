// Whose code calls a wait. Not recorded are waits within the C library, MPI, the libraries that MPI uses, and
// the tracer.
#pragma once

#include <link.h>

namespace ovni::threads {

// True if waits of that code are not recorded. Takes no lock. False if unknown.
bool is_left_out(const void* return_address) noexcept;

// True if the file with the address defines the program's malloc(): its threads may hold locks that malloc()
// needs.
bool may_be_allocator(const void* return_address) noexcept;

// The link map of the loaded file that contains the address, null if none does or if unknown.
link_map* image_of(const void* address) noexcept;

}  // namespace ovni::threads
