// A run has a name, the same on all ranks, and a trace directory of its own: what an earlier run left there
// is moved out of the way.
#pragma once

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

struct RunName {
    static constexpr int most = 128;
    char text[most] = {};

    // OVNI_RUN; empty if it is not set.
    static RunName given() noexcept;
    // The name of the launcher's job with what chosen_here() says; empty without such a job.
    static RunName of_job() noexcept;
    // The name that ovnirun gave; empty without ovnirun.
    static RunName of_session() noexcept;
    // A name made of the batch job, the time and this process.
    static RunName chosen_here() noexcept;
};

// Moves the looms in `directory`, and the outputs made of them, to `directory`.1, .2, ... if a stream is of a
// run of another name. Other files stay. Nodes may have directories of their own: the first of the nodes that
// see one directory moves. Collective over the first ranks of the nodes; no rank may write there before the
// end.
void move_older_traces(const PrivateComm& leaders, const char* directory, const RunName& run) noexcept;

}  // namespace ovni::mpi
