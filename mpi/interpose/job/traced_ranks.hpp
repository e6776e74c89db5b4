// Finds the ranks of MPI_COMM_WORLD that are traced. Others may have started without this library, or may be
// unable to load it: set-user-id and static programs, containers. A collective on the world would wait for
// them for ever.
//
// MPI_Init returns on a rank after all ranks have called it. So a traced rank announces itself before the
// call, and looks for the others' announcements after it: by PMIx, or else by files in the trace directory,
// which reach the ranks that share it. Ranks that find each other find one common set of ranks.
#pragma once

#include "mpi/interpose/job/run.hpp"
#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

struct TracedRanks {
    // The traced ranks that found each other, in the order of the world. Not valid if it could not be made.
    PrivateComm comm;
    // False if there may be more traced ranks, which record apart from these.
    bool are_together;
};

int rank_in_world() noexcept;
int size_of_world() noexcept;

// Rank and size from the launcher's environment, known before PMPI_Init; -1 if it does not give them.
int rank_by_launcher() noexcept;
int size_by_launcher() noexcept;

// Call before PMPI_Init, or before PMPI_Session_init if that replaces it. With OVNI_ALL_TRACED=1 ranks that
// cannot find each other count as traced. A rank is still left out if it is proved to be untraced: by PMIx,
// or by files if all ranks run on one node.
void announce_rank() noexcept;

// Call if PMPI_Init failed.
void withdraw_rank() noexcept;

// Call after PMPI_Init. Collective over the ranks that announced themselves. Prints one line with the ranks
// that did not.
TracedRanks find_traced_ranks() noexcept;

// The name of the run if the ranks are not together: the launcher's name of the job, which is equal for all.
// Empty if the launcher gives none. Known after announce_rank().
RunName name_of_job() noexcept;

}  // namespace ovni::mpi
