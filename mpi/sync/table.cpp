#include "mpi/sync/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace ovni::sync {

std::string offset_table(const std::vector<Node>& nodes, const Round& run) {
    constexpr auto columns = "{:<10} {:<20} {:<20} {:<20} {:<20}\n";
    std::string text = fmt::format(columns, "rank", "hostname", "offset_median", "offset_mean", "offset_std");
    for (size_t i = 0; i < nodes.size(); ++i) {
        const Estimate& e = run[i];
        // The digits are put together, because a double does not hold every offset.
        text += fmt::format(columns, nodes[i].rank, nodes[i].host, e.offset(),
                            fmt::format("{}.000000", e.offset()),
                            fmt::format("{:.6f}", static_cast<double>(e.width()) / 2));
    }
    return text;
}

std::string drift_header(const std::vector<Node>& nodes) {
    std::string text = fmt::format("{:<20}", "wallclock");
    for (const Node& node : nodes) text += fmt::format(" {:<20}", node.host);
    return text + "\n";
}

std::string drift_row(double wall_s, const Round& run) {
    std::string text = fmt::format("{:<20.6f}", wall_s);
    for (const Estimate& e : run) text += fmt::format(" {:<20}", e.offset());
    return text + "\n";
}

namespace {

// The greatest difference between the two ways to estimate, with its sign.
int64_t disagreement(size_t node, const std::vector<Round>& runs) {
    int64_t greatest = 0;
    for (const Round& run : runs) {
        int64_t difference = run[node].check - run[node].offset();
        if (std::abs(difference) > std::abs(greatest)) greatest = difference;
    }
    return greatest;
}

std::string rate_of(const NodeClock& clock) {
    const ClockPoint &first = clock.measurements.front().point, &last = clock.measurements.back().point;
    if (clock.measurements.size() == 1) return "-";
    auto run = static_cast<double>(last.local - first.local);
    return fmt::format("{:.1f}", static_cast<double>(last.offset - first.offset) / run * 1e9);
}

}  // namespace

std::string summary(const NodeClocks& clocks, const std::vector<Round>& runs) {
    constexpr auto columns = "{:<20} {:>20} {:>20} {:>20} {:>8} {:>10} {:>8} {:>8} {:>9} {}\n";
    std::string text = fmt::format(columns, "host", "offset ns", "at least", "at most", "bound", "round trip",
                                   "min-RTT", "samples", "rate ppb", "method");
    int64_t greatest = 0;
    for (size_t node = 0; node < clocks.nodes.size(); ++node) {
        const NodeClock& clock = clocks.nodes[node];
        if (clock.measurements.empty()) {
            text += fmt::format("{:<20} no measurement was possible\n", clock.host);
            continue;
        }
        const ClockMeasurement& m = clock.measurements.front();
        text +=
            fmt::format(columns, clock.host, m.point.offset, m.low, m.high, clock.bound(), m.round_trip,
                        fmt::format("{:+}", disagreement(node, runs)), m.samples, rate_of(clock), m.method);
        greatest = std::max(greatest, clock.bound());
    }
    return text + fmt::format("nodes: {}, greatest bound: +-{} ns\n", clocks.nodes.size(), greatest);
}

}  // namespace ovni::sync
