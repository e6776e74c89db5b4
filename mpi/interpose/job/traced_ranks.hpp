// The ranks of MPI_COMM_WORLD that are traced. Others may have started without this library, or may be unable
// to load it: set-user-id and static programs, containers. A collective on the world would wait for these for
// ever.
//
// MPI_Init ends on a rank when all ranks have called it. So a traced rank announces itself before, and looks
// for the announcements of the others behind it: by PMIx, or else by files in the trace directory, which find
// the ranks that share it. Ranks that find each other find the same ranks.
#pragma once

#include "mpi/interpose/job/run.hpp"
#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

struct TracedRanks {
    // Those that found each other, in the order of the world. Not valid if it could not be made.
    PrivateComm comm;
    // False if there may be more traced ranks, which record apart from these.
    bool are_together;
};

int rank_in_world() noexcept;
int size_of_world() noexcept;

// Rank and size as the launcher told them before PMPI_Init; -1 if it did not.
int rank_by_launcher() noexcept;
int size_by_launcher() noexcept;

// Call before PMPI_Init, or the PMPI_Session_init in its place. With OVNI_ALL_TRACED=1 ranks that cannot find
// each other count as traced. A rank that is proved to be none of them is left out all the same: by PMIx, or
// by files if all ranks run on one node.
void announce_rank() noexcept;

// Call if PMPI_Init failed.
void withdraw_rank() noexcept;

// Call behind PMPI_Init. Collective over the ranks that announced themselves. One line names the others.
TracedRanks meet_traced_ranks() noexcept;

// The name of a run of ranks that are not together: all get the same from their launcher, as far as it has
// one. Known from announce_rank() on.
RunName name_of_job() noexcept;

}  // namespace ovni::mpi
