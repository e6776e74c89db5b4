#include "threads/thread_events.hpp"

#include "threads/objects.hpp"
#include "threads/recorder.hpp"

namespace ovni::threads {

void record_creation(pthread_t thread, const void* caller) noexcept {
    record_of_thread("HTc", thread, caller);
}

void record_start(const void* caller) noexcept {
    const Mode recorded = mode.load(std::memory_order_relaxed);
    if (recorded == Mode::off) return;
    thread_begins();
    // No thread needs a buffer for its start alone if only waits are recorded.
    if (recorded == Mode::all) record_of_thread("HTs", pthread_self(), caller, Allocating::no);
}

}  // namespace ovni::threads
