// Regions of scope `job`: one rank fires, all ranks start or stop recording at the same collective.
//
// At each collective on MPI_COMM_WORLD the ranks begin to combine their wishes, on a communicator of the
// tracer, and at the next one they wait for the result and obey it. Only collectives that may wait for
// others anyway count: in a nonblocking one a program may count on going on, and must not be made to wait.
// Who waits at a collective waits for others to reach the one before, so nothing waits that could not have
// waited there without us.
#pragma once

#include "mpi/trace/private_comm.hpp"

namespace ovni::mpi {

// Collective over the world, in MPI_Init: where one rank has chains of that scope, all take part.
void prepare_agreement(PrivateComm& job) noexcept;

// A collective of the program begins, the same on all ranks.
[[gnu::cold]] void agree_on_recording() noexcept;

// MPI_Finalize begins: what is pending is completed, and has no effect.
void end_agreement() noexcept;

}  // namespace ovni::mpi
