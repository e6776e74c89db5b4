// Counting without translated code: by the processor's counter of instructions, or by the time of the thread.
// perf_event_open(2).
#pragma once

#include <signal.h>

#include <cstdint>

namespace ovni::code {

enum class Counter : uint8_t {
    cache,      // instructions, in translated code
    processor,  // instructions, by the processor
    time        // nanoseconds of the thread
};
Counter counter_named(const char* name) noexcept;  // `cache` for unknown ones

// That of one thread. All zero at first.
class CpuCounter {
 public:
    // The calling thread gets a signal of is_from_counter() after about so many. Returns 0, or the error.
    int start(Counter what, uint64_t count) noexcept;
    bool is_running() const noexcept { return is_running_; }
    // False if the signal came early: another one comes.
    bool is_over() const noexcept;
    // Returns how many there were since start().
    uint64_t stop() noexcept;
    // The thread is gone, or this is a fork's child.
    void close() noexcept;

 private:
    uint64_t read() const noexcept;
    uint64_t wanted_;
    int file_;
    bool has_file_, is_running_;
};

bool is_from_counter(const siginfo_t& info) noexcept;

}  // namespace ovni::code
