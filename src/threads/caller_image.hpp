// Whose code calls a wait. Not recorded are waits within the C library, MPI, the libraries that MPI uses, and
// the tracer.
#pragma once

#include <link.h>

#include <cstddef>

#include "core/code_place.hpp"

namespace ovni::threads {

// True if waits of that code are not recorded. Takes no lock. False if unknown.
bool is_left_out(const void* return_address) noexcept;

// True if the file with the address defines the program's malloc(): its threads may hold locks that malloc()
// needs.
bool may_be_allocator(const void* return_address) noexcept;

// As write_code_place(), without a lock: a thread that waits may hold any.
size_t write_caller(const void* return_address, char (&text)[longest_code_place + 1]) noexcept;

// The link map of the loaded file that contains the address, null if none does or if unknown.
link_map* image_of(const void* address) noexcept;

}  // namespace ovni::threads
