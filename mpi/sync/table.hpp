// The texts that ovnisync makes of its estimates.
#pragma once

#include <string>
#include <vector>

#include "mpi/sync/node_clocks.hpp"

namespace ovni::sync {

// clock-offsets.txt: columns rank, hostname, offset_median, offset_mean, offset_std, of 10 and 20 characters.
// Median and mean are both the offset, the deviation is half of the width within which the offset lies for
// certain.
std::string offset_table(const std::vector<Node>& nodes, const Round& run);

// The drift table, for inspection: wall time in s, then the offset of every node.
std::string drift_header(const std::vector<Node>& nodes);
std::string drift_row(double wall_s, const Round& run);

// The summary for the terminal, in ns. For each node it has the begin of the clock as in clocks.json and its
// rate. It also has the greatest difference between the offset and that of the exchange with the smallest
// round trip.
std::string summary(const NodeClocks& clocks, const std::vector<Round>& runs);

// Warnings: clocks that jumped or do not go along a line, two estimates of an offset that disagree because of
// the network, bounds far above those of other nodes.
std::vector<std::string> doubts(const NodeClocks& clocks, const std::vector<Round>& runs);

}  // namespace ovni::sync
