// Durations of single events, in ticks: exact below 64, then 32 steps per power of two, that is to 3 %. The
// longest is kept as it is. Small enough to stay in the first cache next to what is measured.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ovni::bench {

class Histogram {
 public:
    void add(uint64_t duration) {
        ++counts_[step_of(duration)];
        longest_ = std::max(longest_, duration);
    }
    uint64_t longest() const { return longest_; }
    uint64_t size() const {
        uint64_t sum = 0;
        for (uint32_t count : counts_) sum += count;
        return sum;
    }
    // At most that part (0 to 1) of the durations is longer than the result.
    uint64_t quantile(double part) const {
        auto wanted = static_cast<uint64_t>(part * static_cast<double>(size()));
        uint64_t seen = 0;
        for (size_t step = 0; step < counts_.size(); ++step)
            if ((seen += counts_[step]) >= wanted && seen > 0) return std::min(end_of(step), longest_);
        return longest_;
    }

 private:
    static constexpr unsigned bits = 5;  // of a step within its power of two

    static size_t step_of(uint64_t duration) {
        auto width = static_cast<unsigned>(std::bit_width(duration));
        unsigned shift = width > bits + 1 ? width - bits - 1 : 0;
        return (size_t{shift} << bits) + (duration >> shift);
    }
    // The longest duration that belongs to the step.
    static uint64_t end_of(size_t step) {
        if (step < size_t{2} << bits) return step;
        uint64_t shift = (step >> bits) - 1;
        return (((step & ((1U << bits) - 1)) + (1U << bits) + 1) << shift) - 1;
    }

    std::array<uint32_t, size_t{64 - bits + 1} << bits> counts_{};
    uint64_t longest_ = 0;
};

}  // namespace ovni::bench
