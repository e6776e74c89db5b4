// Time as the benchmark of the writer takes it: ticks of the processor for single events, CPU and wall time
// of the calling thread for loops. For x86-64 with a TSC that runs at one speed.
#pragma once

#include <x86intrin.h>

#include <cstdint>
#include <ctime>

namespace ovni::bench {

inline uint64_t ticks() {
    return __rdtsc();
}

inline uint64_t nanoseconds(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

// The times that a loop took, in ns: of the calling thread, and by the wall clock.
struct Times {
    uint64_t cpu = 0, wall = 0;

    static Times now() { return {nanoseconds(CLOCK_THREAD_CPUTIME_ID), nanoseconds(CLOCK_MONOTONIC)}; }
    friend Times operator-(Times a, Times b) { return {a.cpu - b.cpu, a.wall - b.wall}; }
};

// The length of a tick, measured from the construction to the call of length().
class TickLength {
 public:
    double length() const {
        auto ns = static_cast<double>(nanoseconds(CLOCK_MONOTONIC) - ns_);
        return ns / static_cast<double>(ticks() - ticks_);
    }

 private:
    uint64_t ns_ = nanoseconds(CLOCK_MONOTONIC), ticks_ = ticks();
};

}  // namespace ovni::bench
