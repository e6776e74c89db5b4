#include "sync/corridor.hpp"

#include <algorithm>
#include <cmath>

namespace ovni::sync {

namespace {

enum class Side { upper, lower };

// > 0 where b lies above the line from a to c, by the sign.
__extension__ using Wide = __int128;
Wide height(const ClockPoint& a, const ClockPoint& b, const ClockPoint& c) {
    Wide run = Wide{c.local} - a.local, rise = Wide{c.offset} - a.offset;
    return (Wide{b.offset} - a.offset) * run - rise * (Wide{b.local} - a.local);
}

// Corners that the new point makes needless go.
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

// Relative to a point of the run, so that the digits suffice.
using Real = long double;
struct Line {
    Real local, offset, slope;
    Real at(Real time) const { return offset + slope * (time - local); }
};

class Fit {
 public:
    explicit Fit(const Corridor& corridor) : corridor_(corridor), origin_(corridor.floors().front()) {}

    std::optional<FittedLine> run() const {
        const auto &floors = corridor_.floors(), &ceilings = corridor_.ceilings();
        int64_t begin = std::max(floors.front().local, ceilings.front().local);
        int64_t end = std::min(floors.back().local, ceilings.back().local);
        if (begin >= end) return std::nullopt;
        Real middle = (time_of(begin) + time_of(end)) / 2;
        Line above = edge(ceilings, middle), below = edge(floors, middle);
        Line model{middle, (above.at(middle) + below.at(middle)) / 2, (above.slope + below.slope) / 2};
        Line steepest = touching(floors, ceilings, Side::upper, model);
        Line flattest = touching(ceilings, floors, Side::lower, model);
        return FittedLine{point(begin, model, flattest, steepest), point(end, model, flattest, steepest),
                          steepest.slope < flattest.slope ? std::max<int64_t>(residual(model), 1) : 0};
    }

 private:
    Real time_of(int64_t local) const { return static_cast<Real>(local - origin_.local); }
    Real offset_of(const ClockPoint& p) const { return static_cast<Real>(p.offset - origin_.offset); }
    Real time_of(const ClockPoint& p) const { return time_of(p.local); }

    Line through(const ClockPoint& a, const ClockPoint& b) const {
        return {time_of(a), offset_of(a), (offset_of(b) - offset_of(a)) / (time_of(b) - time_of(a))};
    }

    // The edge at that time, which lies within the hull.
    Line edge(const std::vector<ClockPoint>& hull, Real time) const {
        size_t i = 1;
        while (i + 1 < hull.size() && time_of(hull[i]) < time) ++i;
        return through(hull[i - 1], hull[i]);
    }

    // Of the lines from a point of `lefts` to a later one of `rights` the flattest (for Side::upper: nothing
    // that fits is steeper) or the steepest.
    Line touching(const std::vector<ClockPoint>& lefts, const std::vector<ClockPoint>& rights, Side side,
                  Line best) const {
        bool is_first = true;
        for (const ClockPoint& left : lefts)
            for (const ClockPoint& right : rights) {
                if (right.local <= left.local) continue;
                Line line = through(left, right);
                bool is_better = side == Side::upper ? line.slope < best.slope : line.slope > best.slope;
                if (is_first || is_better) best = line;
                is_first = false;
            }
        return best;
    }

    Real outside(const Line& model) const {
        Real worst = 0;
        for (const ClockPoint& p : corridor_.floors())
            worst = std::max(worst, offset_of(p) - model.at(time_of(p)));
        for (const ClockPoint& p : corridor_.ceilings())
            worst = std::max(worst, model.at(time_of(p)) - offset_of(p));
        return worst;
    }
    int64_t residual(const Line& model) const { return static_cast<int64_t>(std::ceil(outside(model))); }

    FittedPoint point(int64_t local, const Line& model, const Line& flattest, const Line& steepest) const {
        Real time = time_of(local);
        auto [low, high] = std::minmax({flattest.at(time), steepest.at(time), model.at(time)});
        auto absolute = [&](Real offset) { return origin_.offset + static_cast<int64_t>(offset); };
        return {{local, absolute(std::round(model.at(time)))},
                absolute(std::floor(low)),
                absolute(std::ceil(high))};
    }

    const Corridor& corridor_;
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

std::optional<FittedLine> fit_line(const Corridor& corridor) {
    if (corridor.floors().size() < 2 || corridor.ceilings().size() < 2) return std::nullopt;
    return Fit(corridor).run();
}

}  // namespace ovni::sync
