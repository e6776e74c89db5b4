// libovni-counters.so: counts what threads use between the borders of calls and regions, which libovni.so and
// libovni-mpi.so report. Opens nothing before the first border of a thread.
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string_view>

#include "counters/thread_counters.hpp"
#include "counters/wanted.hpp"
#include "ovni/emit.hpp"
#include "ovni/private.h"

namespace ovni::counters {

namespace {

// Keys of pthread, as programs have little room for thread-local variables of libraries.
pthread_key_t of_thread, at_thread_end;

// Null before the first border of the thread.
ThreadCounters* own() noexcept {
    return static_cast<ThreadCounters*>(pthread_getspecific(of_thread));
}

struct KeepErrno {
    const int kept = errno;
    ~KeepErrno() { errno = kept; }
};

// The value of the key counts rounds of destructors.
constexpr char rounds[2] = {};

// Not from malloc(): a handler may be the first to come to a border.
ThreadCounters* make() noexcept {
    void* memory =
        mmap(nullptr, sizeof(ThreadCounters), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (pthread_setspecific(of_thread, memory) != 0) {
        munmap(memory, sizeof(ThreadCounters));
        return nullptr;
    }
    pthread_setspecific(at_thread_end, rounds);
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

// The end of a thread is a border in the streams that are ours: their last one. libovni-mpi closes regions in
// the first round of destructors, libovni.so ends the stream in a later one than the second.
void end_thread(void* round) noexcept {
    if (round == rounds) {
        pthread_setspecific(at_thread_end, rounds + 1);
        return;
    }
    ThreadCounters* counters = own();
    if (!counters) return;
    if (ovni_private_thread_is_ours()) {
        counters->read();
        counters->emit(ovni::stream_now());
    }
    counters->close();
    pthread_setspecific(of_thread, nullptr);
    munmap(counters, sizeof *counters);
}

void start_over_in_child() noexcept {
    if (ThreadCounters* counters = own()) counters->start_over();
}

constexpr ovni_private_border_follower follower{read, emit};

// The reference emulator knows no counters.
bool wants_reference_events() noexcept {
    const char* events = secure_getenv("OVNI_MPI_EVENTS");
    return events && std::string_view(events) == "reference";
}

[[gnu::constructor]] void follow_borders() {
    read_wanted_counters();
    if (wanted_counters().empty() || wants_reference_events()) return;
    if (pthread_key_create(&of_thread, nullptr) != 0 || pthread_key_create(&at_thread_end, end_thread) != 0)
        return;
    pthread_atfork(nullptr, nullptr, start_over_in_child);
    ovni_private_follow_borders(&follower);
}

}  // namespace

}  // namespace ovni::counters
