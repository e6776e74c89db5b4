// A sum of 64-bit numbers that cannot overflow, even with the values of a damaged trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ovni {

class WideSum {
 public:
    WideSum() = default;
    WideSum(uint64_t value) : value_(value) {}  // NOLINT: a number is a sum

    WideSum& operator+=(WideSum other) { return value_ += other.value_, *this; }
    WideSum& operator-=(WideSum other) { return value_ -= other.value_, *this; }
    // Adds the time from one clock to another, negative if the other is earlier.
    void add_time(int64_t from, int64_t to) { value_ += Wide{to} - from; }
    // The sum for outputs, clamped to the range of the type.
    uint64_t number() const {
        return static_cast<uint64_t>(std::clamp<Wide>(value_, 0, std::numeric_limits<uint64_t>::max()));
    }

 private:
    __extension__ using Wide = __int128;
    Wide value_ = 0;
};

}  // namespace ovni
