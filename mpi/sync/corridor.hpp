// How the offset of a clock goes on over a whole run, if it goes along a straight line.
//
// Every exchange leaves the offset at one moment a floor and a ceiling (estimate.hpp). A clock with a
// constant rate has an offset that is a line above all floors and below all ceilings: of floors only the
// upper convex hull counts, of ceilings only the lower one. The model is the middle of the highest line below
// all ceilings and the lowest line above all floors, both around the middle of the run: edges of the hulls.
// What other lines fit lies between the steepest and the flattest of them, each of which touches one floor
// and one ceiling; so these two say, at the beginning and the end of the run, within which interval the truth
// lies, and in between it is nowhere further from the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock_line.hpp"
#include "sync/estimate.hpp"

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

struct FittedPoint {
    ClockPoint point;
    int64_t low, high;  // the true offset at point.local
};

struct FittedLine {
    FittedPoint begin, end;
    // By how many ns the line is outside of the corridor where it is furthest outside. Above 0 no line fits,
    // and low and high say nothing.
    int64_t residual;
};

// Nothing where there are not two moments.
std::optional<FittedLine> fit_line(const Corridor& corridor);

}  // namespace ovni::sync
