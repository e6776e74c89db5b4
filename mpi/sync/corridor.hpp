// What is certain of the offset of a clock over a whole run, if the clock keeps its rate.
//
// Every exchange leaves the offset at one moment a floor and a ceiling (estimate.hpp). A clock with a
// constant rate has an offset that is a line above all floors and below all ceilings: of floors only the
// upper convex hull counts, of ceilings only the lower one. Lines that fit lie between the steepest and the
// flattest of them, each of which touches one floor and one ceiling; so these two say within which interval
// the truth lies at the beginning and at the end of the run. The distance between any line and the farthest
// one that fits is greatest at one of these ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock_line.hpp"
#include "mpi/sync/estimate.hpp"

namespace ovni::sync {

class Corridor {
 public:
    // In the order of time.
    void add(const Exchange& e);
    void add_floor(ClockPoint point);
    void add_ceiling(ClockPoint point);

    const std::vector<ClockPoint>& floors() const { return floors_; }
    const std::vector<ClockPoint>& ceilings() const { return ceilings_; }

 private:
    std::vector<ClockPoint> floors_, ceilings_;  // corners of the hulls
};

struct Interval {
    int64_t local;
    int64_t low, high;  // the offset then
};

struct Straight {
    Interval begin, end;
    // By how many ns all floors and ceilings would have to give way for a line to fit. Above 0 none does, and
    // the intervals say nothing.
    int64_t residual;
};

// Nothing where there are not two moments.
std::optional<Straight> straight(const Corridor& corridor);

}  // namespace ovni::sync
