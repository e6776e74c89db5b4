// A run has a name, the same on all ranks, and a trace directory of its own: what an earlier run left there
// is moved out of the way.
#pragma once

#include "mpi/interpose/private_comm.hpp"

namespace ovni::mpi {

struct RunName {
    static constexpr int most = 128;
    char text[most] = {};

    // OVNI_RUN, else made of the batch job, the time and this process.
    static RunName chosen_here() noexcept;
};

// Moves the looms in `directory`, and what was made of them, to `directory`.1, .2, ... where a stream is of a
// run of another name. Other files stay where they are. Every node may have that directory for itself: of
// those that see the same one, the first moves. Collective over the first ranks of the nodes; nobody may
// write there before it is over.
void move_older_traces(const PrivateComm& leaders, const char* directory, const RunName& run) noexcept;

}  // namespace ovni::mpi
