// The offset of a clock from the four time stamps of ping-pong exchanges, in integer ns.
//
// offset = reference clock - local clock: added to a local time it gives the time of the reference. A message
// cannot arrive before it was sent, so every exchange says
//     t1 - t2 <= offset <= t4 - t3
// whatever the delays are, at the moment of the exchange. All exchanges of a burst together leave an interval
// (the envelope: a minimum filter on each direction alone). Each side is moved outwards by as much as clocks
// may drift between the middle of the burst and its ends. The estimate is the middle of the interval; its
// error is at most half the width. The middle of the exchange with the smallest round trip checks the
// estimate.
//
// No MPI, no memory, no exceptions: both ovnisync and the tracing library measure with this code.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock_drift.hpp"

namespace ovni::sync {

struct Exchange {
    int64_t t1;  // reference: sent
    int64_t t2;  // local: received
    int64_t t3;  // local: sent back
    int64_t t4;  // reference: received
    int64_t round_trip() const noexcept { return (t4 - t1) - (t3 - t2); }
};

// How far the clock of a node is behind the reference at one moment. All 0 for the reference itself.
struct Estimate {
    int64_t local = 0;  // that moment, by the node's clock
    int64_t low = 0;    // the offset lies in [low, high]
    int64_t high = 0;
    int64_t round_trip = 0;  // the smallest one seen
    int64_t check = 0;       // the offset by the exchange with that round trip alone
    int64_t samples = 0;

    int64_t offset() const noexcept { return low + (high - low) / 2; }
    int64_t width() const noexcept { return high - low; }
    // False if the local clock changed its rate or was set during the burst.
    bool is_possible() const noexcept { return low <= high; }
    // The greatest possible error of offset().
    int64_t bound() const noexcept { return (width() + 1) / 2; }
};

// Exchanges that lie close together, summed up.
class Burst {
 public:
    void add(const Exchange& e) noexcept {
        if (sum_.samples++ == 0) first_ = e.t2;
        last_ = e.t3;
        sum_.low = std::max(sum_.low, e.t1 - e.t2);
        sum_.high = std::min(sum_.high, e.t4 - e.t3);
        if (e.round_trip() >= sum_.round_trip) return;
        sum_.round_trip = e.round_trip();
        sum_.check = e.t1 - e.t2 + (e.t4 - e.t3 - (e.t1 - e.t2)) / 2;
    }
    // Call after at least one exchange.
    Estimate estimate() const noexcept {
        Estimate estimate = sum_;
        int64_t drift = greatest_drift((last_ - first_ + 1) / 2);
        estimate.local = first_ + (last_ - first_) / 2;
        estimate.low -= drift;
        estimate.high += drift;
        return estimate;
    }

 private:
    Estimate sum_{0, INT64_MIN, INT64_MAX, INT64_MAX, 0, 0};
    int64_t first_ = 0, last_ = 0;
};

// The burst that was disturbed least: its two fastest directions leave the smallest width.
class BestBurst {
 public:
    void add(const Estimate& burst) noexcept {
        ++bursts_;
        samples_ += burst.samples;
        ++unimproved_;
        if (bursts_ > 1 && !is_better(burst)) return;
        // A little better does not pay for another burst.
        if (bursts_ == 1 || best_.width() - burst.width() > best_.width() / 50) unimproved_ = 0;
        best_ = burst;
    }
    // True if further bursts would hardly make the width smaller.
    bool has_settled() const noexcept { return best_.is_possible() && unimproved_ >= patience; }
    int bursts() const noexcept { return bursts_; }
    Estimate best() const noexcept {
        Estimate best = best_;
        best.samples = samples_;
        return best;
    }

 private:
    static constexpr int patience = 4;

    // An impossible burst has a negative width, and is the last choice.
    bool is_better(const Estimate& burst) const noexcept {
        if (burst.is_possible() != best_.is_possible()) return burst.is_possible();
        return burst.width() < best_.width();
    }

    Estimate best_;
    int64_t samples_ = 0;
    int bursts_ = 0, unimproved_ = 0;
};

// The estimate of a node against the reference of a run. `node` is measured against a clock that is itself
// off by `reference`, which was measured `ns_before` earlier. Offsets and bounds add up, and clocks may have
// drifted in between. The result is impossible if either estimate is, however wide the other one is.
inline Estimate through(const Estimate& node, const Estimate& reference, int64_t ns_before) noexcept {
    int64_t drift = greatest_drift(ns_before);
    Estimate sum{node.local,
                 node.low + reference.low - drift,
                 node.high + reference.high + drift,
                 node.round_trip + reference.round_trip,
                 node.check + reference.check,
                 node.samples};
    if (!node.is_possible() || !reference.is_possible()) sum.high = std::min(sum.high, sum.low - 1);
    return sum;
}

}  // namespace ovni::sync
