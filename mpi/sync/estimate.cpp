#include "sync/estimate.hpp"

#include <algorithm>

namespace ovni::sync {

Estimate estimate(std::span<const Exchange> burst) {
    Estimate result{INT64_MIN, INT64_MAX, INT64_MAX};
    for (const Exchange& e : burst) {
        result.low = std::max(result.low, e.t1 - e.t2);
        result.high = std::min(result.high, e.t4 - e.t3);
        result.round_trip = std::min(result.round_trip, e.round_trip());
    }
    return result;
}

const Estimate& best(const std::vector<Estimate>& bursts) {
    return *std::min_element(bursts.begin(), bursts.end(), [](const Estimate& a, const Estimate& b) {
        // An impossible one has a negative width, and is the last choice.
        if (a.is_possible() != b.is_possible()) return a.is_possible();
        return a.width() < b.width();
    });
}

}  // namespace ovni::sync
