// Regions of scope `job`: one rank fires, all ranks start or stop recording at the same collective.
//
// At the end of each blocking collective on MPI_COMM_WORLD the ranks begin to combine their wishes
// (PMPI_Iallreduce on a communicator of the tracer). At the end of the next one they wait for the result and
// obey it behind its leave event. So all ranks switch behind the second collective after an alarm, and a rank
// waits there only until all others have left the one before.
//
// Nonblocking collectives take no part: a program may count on their return. Neither do collectives on other
// communicators, functions that make objects, and calls that MPI refuses for their arguments. MPI_Finalize
// makes up for a rank that made one collective less; it also reports a wish that no two collectives followed.
//
// Not for programs in which an error handler leaves two or more of these collectives by longjmp or an
// exception on some ranks only: the other ranks wait for ever.
#pragma once

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

// Collective over the world, in MPI_Init. If one rank has chains of that scope, all take part.
void prepare_agreement(PrivateComm& job) noexcept;

// True if a collective of the program took place, on all ranks alike: MPI did not refuse its arguments.
[[gnu::cold]] bool has_taken_place(int error) noexcept;
// Waits for what the ranks agreed on at the collective before; 0: nothing. The wait belongs to the call; obey
// the result behind it.
[[gnu::cold]] uint64_t await_agreement() noexcept;
[[gnu::cold]] void agree_on_recording(uint64_t agreed) noexcept;

// Call when MPI_Finalize begins: completes what is pending, without effect. Collective.
void end_agreement() noexcept;

}  // namespace ovni::mpi
