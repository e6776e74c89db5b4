// Regions of scope `job`: one rank fires, all ranks start or stop recording at the same collective.
//
// At the end of each collective on MPI_COMM_WORLD the ranks begin to combine their wishes, on a communicator
// of the tracer, and at the end of the next one they wait for the result and obey it. Only collectives that
// may wait for others anyway count: in a nonblocking one a program may count on going on, and must not be
// made to wait. Who waits at the end of a collective waits for others to leave the one before, as they must
// have done where that collective waits for all.
#pragma once

#include "mpi/trace/private_comm.hpp"

namespace ovni::mpi {

// Collective over the world, in MPI_Init: where one rank has chains of that scope, all take part.
void prepare_agreement(PrivateComm& job) noexcept;

// A collective of the program has ended, the same on all ranks but where MPI has refused its arguments.
[[gnu::cold]] void agree_on_recording(int error) noexcept;

// MPI_Finalize begins: what is pending is completed, and has no effect. Collective.
void end_agreement() noexcept;

}  // namespace ovni::mpi
