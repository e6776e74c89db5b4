#include "mpi/sync/node_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mpi/sync/measure.hpp"

namespace ovni::sync {

namespace {

ClockMeasurement measurement_of(const Estimate& e) {
    return {{e.local, e.offset()}, e.low, e.high, e.round_trip, static_cast<uint64_t>(e.samples), "envelope"};
}

NodeClock by_measurements(const std::string& host, size_t node, const std::vector<Round>& runs) {
    NodeClock clock{host, {}};
    for (const Round& run : runs) {
        if (!run[node].is_possible()) continue;
        ClockMeasurement next = measurement_of(run[node]);
        auto& all = clock.measurements;
        if (all.empty() || ClockLine::fits(all.back().point, next.point)) all.push_back(std::move(next));
    }
    return clock;
}

using Real = long double;
Real median(std::vector<Real> values) {
    auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The line whose slope is the median of those between any two measurements (Theil and Sen). A few disturbed
// measurements do not matter. If there are very many, only some count, evenly spread.
class MedianLine {
 public:
    // `points`: two at least.
    explicit MedianLine(const std::vector<ClockPoint>& points) : origin_(points.front()) {
        std::vector<Real> heights;
        heights.reserve(points.size());
        slope_ = median(slopes_between(thinned(points)));
        for (const ClockPoint& p : points)
            heights.push_back(static_cast<Real>(p.offset - origin_.offset) -
                              slope_ * static_cast<Real>(p.local - origin_.local));
        height_ = median(std::move(heights));
    }
    int64_t at(int64_t local) const {
        return origin_.offset + std::llround(height_ + slope_ * static_cast<Real>(local - origin_.local));
    }

 private:
    // The number of pairs is the square of that of the points, and a long run has many points.
    static std::vector<ClockPoint> thinned(const std::vector<ClockPoint>& points) {
        constexpr size_t most = 1000;
        size_t count = std::min(points.size(), most);
        std::vector<ClockPoint> kept;
        kept.reserve(count);
        for (size_t i = 0; i < count; ++i) kept.push_back(points[i * (points.size() - 1) / (count - 1)]);
        return kept;
    }
    static std::vector<Real> slopes_between(const std::vector<ClockPoint>& points) {
        std::vector<Real> slopes;
        slopes.reserve(points.size() * (points.size() - 1) / 2);
        for (auto a = points.begin(); a != points.end(); ++a)
            for (auto b = a + 1; b != points.end(); ++b)
                slopes.push_back(static_cast<Real>(b->offset - a->offset) /
                                 static_cast<Real>(b->local - a->local));
        return slopes;
    }

    ClockPoint origin_;
    Real slope_ = 0, height_ = 0;
};

// `straight` is measured against a clock that is itself corrected by `reference`.
NodeClock by_line(const std::string& host, size_t node, const std::vector<Round>& runs,
                  const Straight& straight, const NodeClock& reference) {
    int64_t round_trip = INT64_MAX, samples = 0;
    std::vector<ClockPoint> points;
    for (const Round& run : runs) {
        if (!run[node].is_possible()) continue;
        round_trip = std::min(round_trip, run[node].round_trip);
        samples += run[node].samples;
        points.push_back({run[node].local, run[node].offset()});
    }
    MedianLine line(points);
    ClockLine onward = reference.line();
    NodeClock clock{host, {}};
    for (const Interval& interval : {straight.begin, straight.end}) {
        int64_t then = interval.local + interval.low + (interval.high - interval.low) / 2;
        int64_t further = onward.corrected(then) - then;
        int64_t low = interval.low + further - reference.bound();
        int64_t high = interval.high + further + reference.bound();
        clock.measurements.push_back({{interval.local, std::clamp(line.at(interval.local), low, high)},
                                      low,
                                      high,
                                      round_trip,
                                      static_cast<uint64_t>(samples),
                                      "theil-sen"});
    }
    return clock;
}

bool is_on_a_line(const NodeClock& clock) {
    return clock.measurements.size() == 1 || clock.measurements.size() == 2;
}

}  // namespace

ClockFile NodeClocks::file() const {
    ClockFile file{nodes.front().host, {}};
    std::ranges::copy_if(nodes, std::back_inserter(file.nodes),
                         [](const NodeClock& clock) { return !clock.measurements.empty(); });
    return file;
}

NodeClocks node_clocks(const std::vector<Node>& nodes, const std::vector<Round>& runs,
                       const std::vector<Corridor>& corridors) {
    NodeClocks result{{}, std::vector<int64_t>(nodes.size())};
    auto& clocks = result.nodes;
    clocks.push_back({nodes[0].host, {measurement_of(runs[0][0])}});
    for (size_t node = 1; node < nodes.size(); ++node) {
        const std::string& host = nodes[node].host;
        clocks.push_back(by_measurements(host, node, runs));
        std::optional<Straight> run = straight(corridors[node]);
        if (clocks.back().measurements.size() < 2 || !run) continue;
        result.residuals[node] = run->residual;
        int reference = reference_of(static_cast<int>(node), static_cast<int>(nodes.size()));
        const NodeClock& onward = clocks[static_cast<size_t>(reference)];
        if (run->residual > 0 || !is_on_a_line(onward)) continue;
        NodeClock line = by_line(host, node, runs, *run, onward);
        if (ClockLine::fits(line.measurements[0].point, line.measurements[1].point))
            clocks[node] = std::move(line);
    }
    for (size_t node = 0; node < nodes.size(); ++node) clocks[node].time_offset = nodes[node].time_offset;
    return result;
}

}  // namespace ovni::sync
