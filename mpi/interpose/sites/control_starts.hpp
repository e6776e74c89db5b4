// Counts over the job the ranks in which no chain of --control began recording, for one warning instead of
// one per rank.
#pragma once

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

// Collective over the traced ranks, in MPI_Init. Takes part if one rank has chains that begin recording.
void prepare_control_starts(const PrivateComm& job) noexcept;

// Collective over the ranks of prepare_control_starts(). Call when MPI_Finalize begins.
void report_control_starts() noexcept;

}  // namespace ovni::mpi
