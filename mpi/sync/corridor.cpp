#include "mpi/sync/corridor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ovni::sync {

namespace {

enum class Side { upper, lower };

// > 0 if b lies above the line from a to c.
__extension__ using Wide = __int128;
Wide height(const ClockPoint& a, const ClockPoint& b, const ClockPoint& c) {
    Wide run = Wide{c.local} - a.local, rise = Wide{c.offset} - a.offset;
    return (Wide{b.offset} - a.offset) * run - rise * (Wide{b.local} - a.local);
}

// Appends a point and removes the corners that it makes needless.
void append(std::vector<ClockPoint>& hull, ClockPoint point, Side side) {
    Wide sign = side == Side::upper ? 1 : -1;
    if (!hull.empty() && hull.back().local >= point.local) {
        if (sign * (Wide{point.offset} - hull.back().offset) <= 0) return;
        point.local = hull.back().local;
        hull.pop_back();
    }
    while (hull.size() > 1 && sign * height(hull[hull.size() - 2], hull.back(), point) <= 0) hull.pop_back();
    hull.push_back(point);
}

// Coordinates are relative to a point of the run, so that the digits suffice.
using Real = long double;
struct Line {
    Real local, offset, slope;
    Real at(Real time) const { return offset + slope * (time - local); }
};

class Fit {
 public:
    explicit Fit(const Corridor& corridor)
        : floors_(corridor.floors()), ceilings_(corridor.ceilings()), origin_(floors_.front()) {}

    std::optional<Straight> run() const {
        int64_t begin = std::max(floors_.front().local, ceilings_.front().local);
        int64_t end = std::min(floors_.back().local, ceilings_.back().local);
        if (begin >= end) return std::nullopt;
        Line steepest = steepest_of_all(), flattest = flattest_of_all();
        bool fits = steepest.slope >= flattest.slope;
        return Straight{interval(begin, flattest, steepest), interval(end, flattest, steepest),
                        fits ? 0 : residual((steepest.slope + flattest.slope) / 2)};
    }

 private:
    Real time_of(const ClockPoint& p) const { return static_cast<Real>(p.local - origin_.local); }
    Real offset_of(const ClockPoint& p) const { return static_cast<Real>(p.offset - origin_.offset); }
    Line through(const ClockPoint& a, const ClockPoint& b) const {
        return {time_of(a), offset_of(a), (offset_of(b) - offset_of(a)) / (time_of(b) - time_of(a))};
    }

    // No line that fits is steeper than a line from a floor to a later ceiling.
    Line steepest_of_all() const {
        Line best{0, 0, std::numeric_limits<Real>::max()};
        for (const ClockPoint& floor : floors_)
            for (const ClockPoint& ceiling : ceilings_) {
                if (ceiling.local <= floor.local) continue;
                if (Line line = through(floor, ceiling); line.slope < best.slope) best = line;
            }
        return best;
    }
    Line flattest_of_all() const {
        Line best{0, 0, std::numeric_limits<Real>::lowest()};
        for (const ClockPoint& ceiling : ceilings_)
            for (const ClockPoint& floor : floors_) {
                if (floor.local <= ceiling.local) continue;
                if (Line line = through(ceiling, floor); line.slope > best.slope) best = line;
            }
        return best;
    }

    int64_t residual(Real slope) const {
        Real highest = std::numeric_limits<Real>::lowest(), lowest = std::numeric_limits<Real>::max();
        for (const ClockPoint& p : floors_) highest = std::max(highest, offset_of(p) - slope * time_of(p));
        for (const ClockPoint& p : ceilings_) lowest = std::min(lowest, offset_of(p) - slope * time_of(p));
        return std::max<int64_t>(static_cast<int64_t>(std::ceil((highest - lowest) / 2)), 1);
    }

    Interval interval(int64_t local, const Line& flattest, const Line& steepest) const {
        Real time = static_cast<Real>(local - origin_.local);
        auto [low, high] = std::minmax({flattest.at(time), steepest.at(time)});
        return {local, origin_.offset + static_cast<int64_t>(std::floor(low)),
                origin_.offset + static_cast<int64_t>(std::ceil(high))};
    }

    const std::vector<ClockPoint>&floors_, &ceilings_;
    ClockPoint origin_;
};

}  // namespace

void Corridor::add(const Exchange& e) {
    add_floor({e.t2, e.t1 - e.t2});
    add_ceiling({e.t3, e.t4 - e.t3});
}

void Corridor::add_floor(ClockPoint point) {
    append(floors_, point, Side::upper);
}

void Corridor::add_ceiling(ClockPoint point) {
    append(ceilings_, point, Side::lower);
}

std::optional<Straight> straight(const Corridor& corridor) {
    if (corridor.floors().size() < 2 || corridor.ceilings().size() < 2) return std::nullopt;
    return Fit(corridor).run();
}

}  // namespace ovni::sync
