// All exchanges of a measurement as an HDF5 file, for people who want to look closer:
//     /samples/round number reference node    of exchange i: its measurement, its number in that, its two
//     nodes /samples/t1 t2 t3 t4                    its time stamps (estimate.hpp), in ns /nodes/host rank of
//     node i
// Every dataset has the attributes `units` and `description`. A build without HDF5 has these functions, too.
#pragma once

#include <string>
#include <vector>

#include "mpi/sync/node_clocks.hpp"
#include "mpi/sync/survey.hpp"

namespace ovni::sync {

// False in a build without HDF5.
bool can_write_samples();

// The bytes of the file. Throws Error.
std::string samples_file(const std::vector<Node>& nodes, const std::vector<Sample>& samples);

}  // namespace ovni::sync
