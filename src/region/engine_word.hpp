// The word of an alarm, or of an alarm in one thread: epoch, armed or not, hits or instructions so far.
#pragma once

#include <cstdint>

#include "region/alarm.hpp"

namespace ovni::region {

inline constexpr unsigned count_bits = 46;
inline constexpr unsigned epoch_shift = 48;
inline constexpr uint64_t epoch_mask = 0xffff;
static_assert(largest_target == (uint64_t{1} << count_bits) - 1);

template <class Armed>
constexpr uint64_t make_word(uint64_t epoch, Armed armed, uint64_t count) noexcept {
    return (epoch & epoch_mask) << epoch_shift | static_cast<uint64_t>(armed) << count_bits | count;
}

constexpr uint64_t epoch_of(uint64_t word) noexcept {
    return word >> epoch_shift;
}

template <class Armed>
constexpr Armed armed_of(uint64_t word) noexcept {
    return static_cast<Armed>(word >> count_bits & 3);
}

constexpr uint64_t count_of(uint64_t word) noexcept {
    return word & largest_target;
}

}  // namespace ovni::region
