#include "sync/node_clocks.hpp"

#include <algorithm>

#include "sync/measure.hpp"

namespace ovni::sync {

namespace {

ClockMeasurement measurement_of(const Estimate& e) {
    auto [low, high] = std::minmax(e.low, e.high);
    return {{e.local, e.offset()}, low, high, e.round_trip, static_cast<uint64_t>(e.samples), "envelope"};
}

NodeClock by_measurements(const std::string& host, size_t node, const std::vector<Round>& runs) {
    NodeClock clock{host, {}};
    for (const Round& run : runs) {
        ClockMeasurement next = measurement_of(run[node]);
        auto& all = clock.measurements;
        if (all.empty() || ClockLine::fits(all.back().point, next.point)) all.push_back(std::move(next));
    }
    return clock;
}

// A line against a clock that is itself corrected by `reference`.
NodeClock by_line(const std::string& host, size_t node, const std::vector<Round>& runs,
                  const FittedLine& line, const NodeClock& reference) {
    int64_t round_trip = INT64_MAX, samples = 0;
    for (const Round& run : runs) {
        round_trip = std::min(round_trip, run[node].round_trip);
        samples += run[node].samples;
    }
    NodeClock clock{host, {}};
    ClockLine onward = reference.line();
    for (const FittedPoint& fitted : {line.begin, line.end}) {
        int64_t then = fitted.point.local + fitted.point.offset;
        int64_t further = onward.corrected(then) - then;
        clock.measurements.push_back({{fitted.point.local, fitted.point.offset + further},
                                      fitted.low + further - reference.bound(),
                                      fitted.high + further + reference.bound(),
                                      round_trip,
                                      static_cast<uint64_t>(samples),
                                      "hull"});
    }
    return clock;
}

bool is_straight(const NodeClock& clock) {
    return clock.measurements.size() <= 2;
}

}  // namespace

NodeClocks node_clocks(const std::vector<Node>& nodes, const std::vector<Round>& runs,
                       const std::vector<Corridor>& corridors) {
    NodeClocks result{{nodes.front().host, {}}, std::vector<int64_t>(nodes.size())};
    auto& clocks = result.file.nodes;
    clocks.push_back({nodes[0].host, {measurement_of(runs[0][0])}});
    for (size_t node = 1; node < nodes.size(); ++node) {
        const std::string& host = nodes[node].host;
        clocks.push_back(by_measurements(host, node, runs));
        std::optional<FittedLine> line = fit_line(corridors[node]);
        if (runs.size() == 1 || !line) continue;
        result.residuals[node] = line->residual;
        int reference = reference_of(static_cast<int>(node), static_cast<int>(nodes.size()));
        const NodeClock& onward = clocks[static_cast<size_t>(reference)];
        if (line->residual > 0 || !is_straight(onward)) continue;
        NodeClock straight = by_line(host, node, runs, *line, onward);
        if (ClockLine::fits(straight.measurements[0].point, straight.measurements[1].point))
            clocks[node] = std::move(straight);
    }
    return result;
}

}  // namespace ovni::sync
