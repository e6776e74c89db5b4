// A sum of numbers of 64 bits that cannot overflow, whatever a damaged trace says.
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
    // The time from one clock to another, which may be before it.
    void add_time(int64_t from, int64_t to) { value_ += Wide{to} - from; }
    // As it is written; at the ends of the range where it is more or less.
    uint64_t number() const {
        return static_cast<uint64_t>(std::clamp<Wide>(value_, 0, std::numeric_limits<uint64_t>::max()));
    }

 private:
    __extension__ using Wide = __int128;
    Wide value_ = 0;
};

}  // namespace ovni
