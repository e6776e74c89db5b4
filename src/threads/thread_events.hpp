// The events of the creation and start of threads, for the wrapper that creates them.
#pragma once

#include <pthread.h>

namespace ovni::threads {

// Call when the calling thread has created another. `caller`: an address in the creating code.
void record_creation(pthread_t thread, const void* caller) noexcept;
// Call when the calling thread, created by the code at `caller`, is about to run its function.
void record_start(const void* caller) noexcept;

}  // namespace ovni::threads
