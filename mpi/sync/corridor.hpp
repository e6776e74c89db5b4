// The certain interval of a clock's offset over a whole run, if the clock keeps its rate.
//
// Every exchange gives the offset at one moment a floor and a ceiling (estimate.hpp). A clock with a constant
// rate has an offset that is a line above all floors and below all ceilings: only the upper convex hull of
// floors and the lower one of ceilings count. Lines that fit lie between the steepest and the flattest of
// them, each of which touches one floor and one ceiling. So these two give the interval of the truth at the
// begin and at the end of the run. The distance between any line and the farthest one that fits is greatest
// at one of these ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock_line.hpp"
#include "mpi/sync/estimate.hpp"

namespace ovni::sync {

class Corridor {
 public:
    // Call in the order of time.
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
    int64_t low, high;  // the offset at that moment
};

struct Straight {
    Interval begin, end;
    // The ns by which all floors and ceilings would have to give way for a line to fit. If it is above 0, no
    // line fits, and the intervals have no meaning.
    int64_t residual;
};

// Empty if there are fewer than two moments.
std::optional<Straight> straight(const Corridor& corridor);

}  // namespace ovni::sync
