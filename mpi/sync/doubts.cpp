#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "mpi/sync/measure.hpp"
#include "mpi/sync/table.hpp"

namespace ovni::sync {

namespace {

using Doubts = std::vector<std::string>;

int links_of(size_t node, size_t nodes) {
    return links_to(static_cast<int>(node), static_cast<int>(nodes));
}

// The worst of the nodes that give cause for a warning.
struct Worst {
    size_t count = 0, node = 0;
    int64_t value = 0;
    void note(size_t of_node, int64_t by) {
        ++count;
        if (count == 1 || by > value) node = of_node, value = by;
    }
    std::string who(const NodeClocks& clocks) const {
        const std::string& host = clocks.nodes[node].host;
        if (count == 1) return host;
        return fmt::format("{} and {} other{}", host, count - 1, count > 2 ? "s" : "");
    }
};

void doubt_evenness(const NodeClocks& clocks, const std::vector<Round>& runs, Doubts& doubts) {
    Worst worst;
    for (size_t node = 0; node < clocks.nodes.size(); ++node) {
        int64_t gap = 0;
        for (const Round& run : runs) gap = std::max(gap, -run[node].width());
        if (gap > 0) worst.note(node, gap);
    }
    if (worst.count > 0)
        doubts.push_back(
            fmt::format("the clock of {} did not run evenly during the measurement", worst.who(clocks)));
}

void doubt_presence(const NodeClocks& clocks, Doubts& doubts) {
    Worst worst;
    for (size_t node = 0; node < clocks.nodes.size(); ++node)
        if (clocks.nodes[node].measurements.empty()) worst.note(node, 0);
    if (worst.count > 0)
        doubts.push_back(
            fmt::format("no measurement of {} was possible: not in clocks.json", worst.who(clocks)));
}

void doubt_lines(const NodeClocks& clocks, Doubts& doubts) {
    Worst worst;
    for (size_t node = 0; node < clocks.residuals.size(); ++node)
        if (clocks.residuals[node] > 0) worst.note(node, clocks.residuals[node]);
    if (worst.count > 0)
        doubts.push_back(fmt::format(
            "no straight line fits the clock of {}, the nearest one is {} ns off the measurements; "
            "corrected from each measurement to the next instead",
            worst.who(clocks), worst.value));
}

// The fastest exchange lies within the bounds. It lies near their middle if both of its messages were nearly
// the fastest of their direction.
void doubt_agreement(const NodeClocks& clocks, const std::vector<Round>& runs, Doubts& doubts) {
    Worst worst;
    for (size_t node = 0; node < clocks.nodes.size(); ++node) {
        int64_t most = 0;
        for (const Round& run : runs) {
            int64_t difference = std::abs(run[node].check - run[node].offset());
            if (run[node].is_possible() && difference > run[node].bound() / 2)
                most = std::max(most, difference);
        }
        if (most > 0) worst.note(node, most);
    }
    if (worst.count > 0)
        doubts.push_back(fmt::format(
            "no exchange with {} was fast both ways: the fastest one alone gives an offset that is {} ns "
            "away; measure again when the network is quieter",
            worst.who(clocks), worst.value));
}

// The usual round trip of a link: the median.
int64_t usual_round_trip(const Round& run) {
    std::vector<int64_t> trips;
    for (size_t node = 1; node < run.size(); ++node)
        trips.push_back(run[node].round_trip / links_of(node, run.size()));
    auto middle = trips.begin() + static_cast<std::ptrdiff_t>(trips.size() / 2);
    std::nth_element(trips.begin(), middle, trips.end());
    return *middle;
}

// The bound of a link cannot exceed half of its own round trip, and in a tree the bounds of all links on the
// way add up. So a bound is compared with the usual round trip of as many links; half of that would complain
// about every second node.
void doubt_bounds(const NodeClocks& clocks, const std::vector<Round>& runs, Doubts& doubts) {
    size_t nodes = clocks.nodes.size();
    if (nodes < 2) return;
    int64_t usual = usual_round_trip(runs.back());
    Worst worst;
    for (size_t node = 1; node < nodes; ++node) {
        int64_t bound = clocks.nodes[node].bound();
        if (bound > usual * links_of(node, nodes)) worst.note(node, bound);
    }
    if (worst.count > 0)
        doubts.push_back(fmt::format(
            "the bound of {} exceeds the network's round trip ({} ns per link): +-{} ns; measure again when "
            "nodes and network are quieter",
            worst.who(clocks), usual, worst.value));
}

}  // namespace

Doubts doubts(const NodeClocks& clocks, const std::vector<Round>& runs) {
    Doubts found;
    doubt_evenness(clocks, runs, found);
    doubt_presence(clocks, found);
    doubt_lines(clocks, found);
    doubt_agreement(clocks, runs, found);
    doubt_bounds(clocks, runs, found);
    return found;
}

}  // namespace ovni::sync
