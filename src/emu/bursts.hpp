// A burst is 100 events OB. of a thread in a row: so a program measures what an event costs it. Local to one
// emulator, so that ranks can put theirs together.
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
    double median = 0, mean = 0, longest = 0;  // ns of an event
    Moment moment() const { return {time, order}; }
};

// The first ones, and one more if there are more.
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
