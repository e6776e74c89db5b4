// What clocks.json says of every node, from one measurement or from many that are spread over a run.
#pragma once

#include <string>
#include <vector>

#include "mpi/sync/corridor.hpp"
#include "trace/clock_file.hpp"

namespace ovni::sync {

struct Node {
    int rank;  // in the world
    std::string host;
};

// One measurement: the estimates of all nodes, by number.
using Round = std::vector<Estimate>;

struct NodeClocks {
    // By number; without measurements where none was possible.
    std::vector<NodeClock> nodes;
    // Per node how far the measurements are from fitting one line (corridor.hpp).
    std::vector<int64_t> residuals;

    // Of the nodes with measurements.
    ClockFile file() const;
};

// One measurement gives constants, by the method "envelope"; many give a line ("theil-sen") with the bounds
// of the corridor at its ends, or where no line fits the corridor a line from each to the next ("envelope"
// again). The corridor of a node is that between it and the node that measured it (reference_of()), whose own
// line and bound are added. Measurements that are not possible count for nothing.
NodeClocks node_clocks(const std::vector<Node>& nodes, const std::vector<Round>& runs,
                       const std::vector<Corridor>& corridors);

}  // namespace ovni::sync
