// A thread is made by the program, or a library that has threads of its own for its work. The image that
// holds the call of pthread_create decides, not what that image works for: a thread of libgomp is the
// program's.
#pragma once

namespace ovni::threads {

// True if the code at `caller` belongs to an MPI library, to one that it moves data with, or to the tracer.
bool is_of_library(const void* caller) noexcept;

// Likewise, by the path of an image. For tests.
bool is_library_with_threads(const char* path) noexcept;

}  // namespace ovni::threads
