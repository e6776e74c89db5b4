// The greatest drift between clocks of computers: their rates differ by less than 1e-4, ten times the usual
// difference.
#pragma once

#include <cstdint>

namespace ovni {

// Two clocks drift apart by at most 1 ns in this time.
constexpr int64_t ns_per_ns_of_drift = 10'000;

// The greatest drift, in ns, over a time of that length, which may be negative; rounded up.
constexpr int64_t greatest_drift(int64_t ns) noexcept {
    int64_t length = ns < 0 ? -ns : ns;
    return length / ns_per_ns_of_drift + (length % ns_per_ns_of_drift != 0);
}

}  // namespace ovni
