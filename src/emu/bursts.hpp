// A burst is 100 consecutive events OB. of a thread, by which a program measures the cost of an event. Each
// emulator collects its own bursts; ranks put them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emu/records/record.hpp"

namespace ovni {

struct Burst {
    int64_t time = 0;    // of its last event
    uint32_t order = 0;  // of that event, as in Moment
    uint32_t thread_row = 0;
    double median = 0, mean = 0, longest = 0;  // ns per event
    Moment moment() const { return {time, order}; }
};

// Keeps the first `most` bursts, and one more if there are more.
class Bursts {
 public:
    static constexpr size_t most = 100;

    void add(const Burst& burst) {
        if (all_.size() <= most) all_.push_back(burst);
    }
    const std::vector<Burst>& all() const { return all_; }

 private:
    std::vector<Burst> all_;
};

}  // namespace ovni
