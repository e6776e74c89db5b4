// The main function of an MPI tool: MPI from begin to end, messages by rank 0 alone, and one message for a
// failure on any rank.
//
//     int main(int argc, char** argv) {
//         ovni::Cli cli = ...;
//         return ovni::run_mpi_main(cli, argc, argv, [&](ovni::Comm& world) { ...; return 0; });
//     }
#pragma once

#include <functional>

#include "base/cli.hpp"
#include "mpi/comm/comm.hpp"

namespace ovni {

// Reads the command line and runs `body` between MPI_Init and MPI_Finalize; its result is the exit status.
// Help and usage errors appear once. A failure that the ranks agreed on (Stopped) is printed once, and all
// ranks end with its status. Any other exception is a failure of this rank alone. It is printed, then
// MPI_Abort ends the job with status 1, as other ranks may be waiting for this one.
int run_mpi_main(Cli& cli, int argc, char** argv, const std::function<int(Comm& world)>& body);

}  // namespace ovni
