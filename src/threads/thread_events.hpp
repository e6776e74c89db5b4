// Called by what makes threads: the events of their creation and start.
#pragma once

#include <pthread.h>

namespace ovni::threads {

// The calling thread has created another. `caller`: an address in the code that did.
void record_creation(pthread_t thread, const void* caller) noexcept;
// The calling thread, created by that code, is about to run its function.
void record_start(const void* caller) noexcept;

}  // namespace ovni::threads
