// The offset of a clock from the four time stamps of ping-pong exchanges, in integer ns.
//
// offset = reference clock - local clock: added to a local time it gives the time of the reference. A message
// cannot arrive before it was sent, so every exchange says
//     t1 - t2 <= offset <= t4 - t3
// whatever the delays are, as long as the clocks run at one rate. The estimate is the middle of what all
// exchanges of a burst leave (minimum filter on each direction alone), its error at most half of that width.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ovni::sync {

struct Exchange {
    int64_t t1;  // reference: sent
    int64_t t2;  // local: received
    int64_t t3;  // local: sent back
    int64_t t4;  // reference: received
    int64_t round_trip() const { return (t4 - t1) - (t3 - t2); }
};

struct Estimate {
    int64_t low = 0;  // the offset lies in [low, high]
    int64_t high = 0;
    int64_t round_trip = 0;  // the smallest one seen
    int64_t offset() const { return low + (high - low) / 2; }
    int64_t width() const { return high - low; }
    // Not so where the local clock changed its rate or was set during the burst.
    bool is_possible() const { return low <= high; }
};

// `burst` holds one exchange at least.
Estimate estimate(std::span<const Exchange> burst);

// The burst that was disturbed least: the one with the smallest round trip of its two fastest directions.
const Estimate& best(const std::vector<Estimate>& bursts);

}  // namespace ovni::sync
