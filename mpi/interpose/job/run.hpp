// A run has one name on all ranks, and its own trace directory. The trace of an earlier run there is moved
// away.
#pragma once

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

struct RunName {
    static constexpr int most = 128;
    char text[most] = {};

    // OVNI_RUN; empty if it is not set.
    static RunName given() noexcept;
    // The name of the launcher's job, then that of chosen_here(); empty without a launcher's job.
    static RunName of_job() noexcept;
    // The name that ovnirun gave; empty without ovnirun.
    static RunName of_session() noexcept;
    // A name made of the batch job, the time and this process.
    static RunName chosen_here() noexcept;
};

// Moves the looms in `directory`, and the outputs made of them, to `directory`.1, .2, ... if a stream belongs
// to a run of another name. Other files stay. If nodes have separate directories, the first node that sees a
// directory moves it. Collective over the first ranks of the nodes. No rank may write there before it
// returns.
void move_older_traces(const PrivateComm& leaders, const char* directory, const RunName& run) noexcept;

}  // namespace ovni::mpi
