// libovni-counters.so: reads the counters of threads at the borders of calls, regions and waits, which the
// other libraries report. Opens nothing before the row of a thread begins, or its first border comes.
#include <pthread.h>
#include <sys/mman.h>

#include <new>

#include "core/keep_errno.hpp"
#include "core/wanted_events.hpp"
#include "counters/thread_counters.hpp"
#include "counters/wanted.hpp"
#include "ovni/emit.hpp"
#include "ovni/private.h"

namespace ovni::counters {

namespace {

// A key of pthread, as programs have little room for thread-local variables of libraries.
pthread_key_t of_thread;

// Null before the first border of the thread.
ThreadCounters* own() noexcept {
    return static_cast<ThreadCounters*>(pthread_getspecific(of_thread));
}

// Not from malloc(): a handler may be the first to come to a border.
ThreadCounters* make() noexcept {
    void* memory =
        mmap(nullptr, sizeof(ThreadCounters), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (pthread_setspecific(of_thread, memory) != 0) {
        munmap(memory, sizeof(ThreadCounters));
        return nullptr;
    }
    return new (memory) ThreadCounters;
}

void read() noexcept {
    KeepErrno keep;
    ThreadCounters* counters = own();
    if (counters || (counters = make())) counters->read();
}

void emit(uint64_t at) noexcept {
    KeepErrno keep;
    if (ThreadCounters* counters = own()) counters->emit(at);
}

// A program that describes itself has rows of its own.
void begin() noexcept {
    KeepErrno keep;
    if (own() || !ovni_private_thread_is_ours()) return;
    if (ThreadCounters* counters = make()) counters->count_from(ovni::now());
}

// A thread that does not count yet begins at its next border.
void resume(uint64_t at) noexcept {
    KeepErrno keep;
    if (ThreadCounters* counters = own(); counters && counters->is_open()) counters->count_from(at);
}

void count(uint64_t at) noexcept {
    KeepErrno keep;
    ThreadCounters* counters = own();
    if (!counters || !counters->is_open()) return;
    counters->read();
    counters->emit(at);
}

// The last border is one in the streams that are ours.
void end() noexcept {
    if (ovni_private_thread_is_ours()) count(ovni::stream_now());
}

// libovni-mpi closes regions in the first round of destructors, libovni.so ends the stream in a later one
// than the second. The C library has cleared the value of the key before each.
void end_thread(void* memory) {
    auto* counters = static_cast<ThreadCounters*>(memory);
    pthread_setspecific(of_thread, counters);
    if (counters->is_first_end()) return;
    end();
    counters->close();
    pthread_setspecific(of_thread, nullptr);
    munmap(counters, sizeof *counters);
}

void start_over_in_child() noexcept {
    if (ThreadCounters* counters = own()) counters->start_over();
}

constexpr ovni_private_border_follower follower{read, emit, count, begin, resume, end};

[[gnu::constructor]] void follow_borders() {
    read_wanted_counters();
    if (wanted_counters().empty() || wants_reference_events()) return;
    if (pthread_key_create(&of_thread, end_thread) != 0) return;
    pthread_atfork(nullptr, nullptr, start_over_in_child);
    ovni_private_follow_borders(&follower);
}

}  // namespace

}  // namespace ovni::counters
