// Counting without translated code: by the processor's instruction counter, or by the CPU time of the thread,
// with perf_event_open(2).
#pragma once

#include <signal.h>

#include <cstdint>

namespace ovni::code {

enum class Counter : uint8_t {
    cache,      // instructions, in translated code
    processor,  // instructions, by the processor
    time        // nanoseconds of the thread
};
Counter counter_named(const char* name) noexcept;  // `cache` for unknown names

// The counter of one thread. All zero at first.
class CpuCounter {
 public:
    // Sends the calling thread a signal of is_from_counter() after about `count`. Returns 0, or the error.
    int start(Counter what, uint64_t count) noexcept;
    bool is_running() const noexcept { return is_running_; }
    // False if the signal came early; then another one follows.
    bool is_over() const noexcept;
    // Stops, and returns the count since start().
    uint64_t stop() noexcept;
    // Call if the thread has ended, and in a fork's child.
    void close() noexcept;

 private:
    uint64_t read() const noexcept;
    uint64_t wanted_;
    int file_;
    bool has_file_, is_running_;
};

bool is_from_counter(const siginfo_t& info) noexcept;

}  // namespace ovni::code
