// Regions of scope `job`: one rank fires, all ranks start or stop recording at the same collective.
//
// At the end of each collective on MPI_COMM_WORLD the ranks begin to combine their wishes, on a communicator
// of the tracer, and at the end of the next one they wait for the result and obey it. Only collectives that
// may wait for others anyway count: in a nonblocking one a program may count on going on, and must not be
// made to wait. Who waits at the end of a collective waits for others to leave the one before, as they must
// have done where that collective waits for all.
#pragma once

#include "mpi/interpose/private_comm.hpp"

namespace ovni::mpi {

// Collective over the world, in MPI_Init: where one rank has chains of that scope, all take part.
void prepare_agreement(PrivateComm& job) noexcept;

// A collective of the program ends, the same on all ranks: not where MPI has refused its arguments.
[[gnu::cold]] bool has_taken_place(int error) noexcept;
// What the ranks agreed on at the one before, 0: nothing. To be obeyed behind the call, which the waiting
// belongs to.
[[gnu::cold]] uint64_t await_agreement() noexcept;
[[gnu::cold]] void agree_on_recording(uint64_t agreed) noexcept;

// MPI_Finalize begins: what is pending is completed, and has no effect. Collective.
void end_agreement() noexcept;

}  // namespace ovni::mpi
