#include "sync/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ovni::sync {

std::string offset_table(const std::vector<Node>& nodes, const std::vector<Estimate>& estimates) {
    constexpr auto columns = "{:<10} {:<20} {:<20} {:<20} {:<20}\n";
    std::string text = fmt::format(columns, "rank", "hostname", "offset_median", "offset_mean", "offset_std");
    for (size_t i = 0; i < nodes.size(); ++i) {
        const Estimate& e = estimates[i];
        // Digits put together, because a double does not hold every offset.
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

std::string drift_row(double wall_s, const std::vector<Estimate>& estimates) {
    std::string text = fmt::format("{:<20.6f}", wall_s);
    for (const Estimate& e : estimates) text += fmt::format(" {:<20}", e.offset());
    return text + "\n";
}

std::string summary(const std::vector<Node>& nodes, const std::vector<Estimate>& estimates) {
    constexpr auto columns = "{:<20} {:>20} {:>20} {:>20} {:>12}\n";
    std::string text = fmt::format(columns, "host", "offset ns", "at least", "at most", "round trip");
    int64_t widest = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        const Estimate& e = estimates[i];
        widest = std::max(widest, e.width());
        text += fmt::format(columns, nodes[i].host, e.offset(), e.low, e.high, e.round_trip);
    }
    return text + fmt::format("nodes: {}, greatest bound: +-{} ns\n", nodes.size(), (widest + 1) / 2);
}

}  // namespace ovni::sync
