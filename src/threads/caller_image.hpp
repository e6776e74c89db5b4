// Whose code calls: waits within the C library, MPI and what MPI stands on are left out, and those of the
// tracer itself.
#pragma once

#include <link.h>

namespace ovni::threads {

// Takes no lock. False if the system cannot say.
bool is_left_out(const void* return_address) noexcept;

// True if the file with the address has the program's malloc(): its threads may hold locks that malloc()
// needs.
bool may_be_allocator(const void* return_address) noexcept;

// The map of the loaded file that has the address, null if none has or the system cannot say.
link_map* image_of(const void* address) noexcept;

}  // namespace ovni::threads
