// What clocks.json says of every node, from one measurement or from many that are spread over a run.
#pragma once

#include <string>
#include <vector>

#include "sync/corridor.hpp"
#include "trace/clock_file.hpp"

namespace ovni::sync {

struct Node {
    int rank;  // in the world
    std::string host;
};

// One measurement: the estimates of all nodes, by number.
using Round = std::vector<Estimate>;

struct NodeClocks {
    ClockFile file;
    // Per node how far it is from a straight line; above 0 where none fits, and the clock is taken to go
    // along lines from one measurement to the next.
    std::vector<int64_t> residuals;
};

// One measurement gives constants, by the method "envelope"; many give lines ("hull"), or several of them
// where one does not fit ("envelope" again). The corridor of a node is that between it and the node that
// measured it (reference_of()), whose own line is added.
NodeClocks node_clocks(const std::vector<Node>& nodes, const std::vector<Round>& runs,
                       const std::vector<Corridor>& corridors);

}  // namespace ovni::sync
