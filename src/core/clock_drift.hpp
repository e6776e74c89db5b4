// The clocks of computers differ by less than this from each other's rate: 1e-4, ten times what is usual.
#pragma once

#include <cstdint>

namespace ovni {

// In so many ns two clocks drift apart by 1 ns at most.
constexpr int64_t ns_per_ns_of_drift = 10'000;

// By how many ns they may have in a time of that length, of either sign; rounded up.
constexpr int64_t greatest_drift(int64_t ns) noexcept {
    int64_t length = ns < 0 ? -ns : ns;
    return length / ns_per_ns_of_drift + (length % ns_per_ns_of_drift != 0);
}

}  // namespace ovni
