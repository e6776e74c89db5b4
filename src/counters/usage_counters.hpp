// Counts that the kernel keeps for every thread (getrusage, the thread's CPU clock), for counters that
// perf_event_open refuses, as in many containers. Needs no descriptors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/counter_names.hpp"

namespace ovni::counters {

class UsageCounters {
 public:
    // Adds a counter, whose values go to index `place`. False if the kernel does not keep that count.
    bool add(const CounterRow& row, size_t place) noexcept;
    // Adds the calling thread's use since the last reading to `deltas`.
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
