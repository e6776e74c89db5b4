// Whether the program made a thread, or a library with its own threads, such as MPI. The image that calls
// pthread_create decides: a thread of libgomp counts as the program's.
#pragma once

namespace ovni::threads {

// True if the code at `caller` belongs to an MPI library, to one of its transport libraries, or to the
// tracer.
bool is_of_library(const void* caller) noexcept;

// As is_of_library(), by the path of an image. For tests.
bool is_library_with_threads(const char* path) noexcept;

}  // namespace ovni::threads
