// The clocks of all nodes as clocks.json has them, from one measurement or from several spread over a run.
#pragma once

#include <string>
#include <vector>

#include "mpi/sync/corridor.hpp"
#include "trace/clock_file.hpp"

namespace ovni::sync {

struct Node {
    int rank;  // in the world
    std::string host;
    int64_t time_offset = 0;  // of its time namespace, ns
};

// A measurement: the estimates of all nodes, by their numbers.
using Round = std::vector<Estimate>;

struct NodeClocks {
    // All nodes by their numbers; a node without a possible measurement has no points.
    std::vector<NodeClock> nodes;
    // How far the measurements of each node are from fitting one line (corridor.hpp).
    std::vector<int64_t> residuals;

    // The file, with the nodes that have measurements.
    ClockFile file() const;
};

// A single measurement gives constants (method "envelope"). Many give a line ("theil-sen") with the bounds of
// the corridor at its ends; if no line fits the corridor, a line from each measurement to the next
// ("envelope"). The corridor of a node is relative to the node that measured it (reference_of()), whose own
// line and bound are added. Impossible measurements do not count.
NodeClocks node_clocks(const std::vector<Node>& nodes, const std::vector<Round>& runs,
                       const std::vector<Corridor>& corridors);

}  // namespace ovni::sync
