// The clocks of the nodes are measured by the job itself, so that its trace says how they go: in MPI_Init, in
// MPI_Finalize, and where the program asks for it. The lowest rank of each node takes part, and the node of
// rank 0 is the reference; what a rank learns stands in ovni.clock of the stream of its main thread. All is
// bounded in time (OVNI_SYNC_TIMEOUT), and on one node nothing happens.
#pragma once

#include "mpi/interpose/host.hpp"
#include "mpi/interpose/private_comm.hpp"

namespace ovni::mpi {

enum class Occasion { init, pcontrol, finalize };

// In MPI_Init, collective over the leaders of nodes, in a rank that is none without effect. `host`: of this
// node. OVNI_SYNC and OVNI_SYNC_TIMEOUT of rank 0 count. False where nothing is going to be measured.
bool prepare_clock_points(PrivateComm& leaders, const Host& host) noexcept;

// Collective over the leaders, by the thread that called MPI_Init.
void take_clock_point(Occasion occasion) noexcept;

}  // namespace ovni::mpi
