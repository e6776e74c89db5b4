// The texts that ovnisync makes of its estimates.
#pragma once

#include <string>
#include <vector>

#include "sync/estimate.hpp"

namespace ovni::sync {

struct Node {
    int rank;  // in the world
    std::string host;
};

// clock-offsets.txt: columns rank, hostname, offset_median, offset_mean, offset_std, of 10 and 20 characters.
// Median and mean are both the offset, the deviation is half of the width within which the offset lies for
// certain.
std::string offset_table(const std::vector<Node>& nodes, const std::vector<Estimate>& estimates);

// The drift table, for inspection: wall time in s, then the offset of every node.
std::string drift_header(const std::vector<Node>& nodes);
std::string drift_row(double wall_s, const std::vector<Estimate>& estimates);

// For the terminal: per node the offset, the interval that holds it, and the smallest round trip, all in ns.
std::string summary(const std::vector<Node>& nodes, const std::vector<Estimate>& estimates);

}  // namespace ovni::sync
