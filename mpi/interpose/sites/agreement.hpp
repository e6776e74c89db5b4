// Regions of scope `job`: one rank fires, and all ranks start or stop recording at one collective.
//
// At the end of each blocking collective on MPI_COMM_WORLD the ranks begin to combine their wishes
// (PMPI_Iallreduce on a communicator of the tracer). At the end of the next collective they wait for the
// result and obey it after the leave event. So all ranks switch after the second collective that follows an
// alarm. A rank waits there only until all others have left the previous collective.
//
// Only blocking collectives count: a program may rely on the return of nonblocking ones. Collectives on other
// communicators do not count, nor functions that make objects, nor calls with invalid arguments. MPI_Finalize
// makes up for a rank that made one collective less. It also reports a wish that fewer than two collectives
// followed.
//
// Limit: if an error handler leaves two or more of these collectives by longjmp or an exception on some ranks
// only, the other ranks wait for ever.
#pragma once

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

// Collective over the world, in MPI_Init. If one rank has chains of scope `job`, all ranks take part.
void prepare_agreement(PrivateComm& job) noexcept;

// True if a collective of the program took place: MPI did not reject its arguments. Equal on all ranks.
[[gnu::cold]] bool has_taken_place(int error) noexcept;
// Waits for the ranks' agreement of the previous collective; 0: nothing. The wait belongs to the call. Obey
// the result after the leave event.
[[gnu::cold]] uint64_t await_agreement() noexcept;
[[gnu::cold]] void agree_on_recording(uint64_t agreed) noexcept;

// Completes a pending reduction, whose result is ignored. Collective. Call when MPI_Finalize begins.
void end_agreement() noexcept;

}  // namespace ovni::mpi
