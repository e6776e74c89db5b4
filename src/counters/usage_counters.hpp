// Counts that the kernel keeps of every thread anyway (getrusage, the clock of the thread): for counters that
// perf_event_open refuses, as in many containers. No descriptors are needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/counter_names.hpp"

namespace ovni::counters {

class UsageCounters {
 public:
    // Takes a counter, whose values go to that place. False if the kernel does not count it for everybody.
    bool add(const CounterRow& row, size_t place) noexcept;
    // Adds what the calling thread has used since the last reading to the places.
    void read(uint64_t* deltas) noexcept;

    static bool has(const CounterRow& row) noexcept;

 private:
    struct Member {
        uint32_t what = 0;  // as perf_event_attr::config
        uint8_t place = 0;
        uint64_t last = 0;
    };
    Member members_[CounterChoice::most];
    size_t size_ = 0;
};

}  // namespace ovni::counters
