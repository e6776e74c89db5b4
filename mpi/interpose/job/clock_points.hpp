// The job measures the clocks of its nodes for its trace: in MPI_Init, in MPI_Finalize (unless
// OVNI_SYNC=init), and at MPI_Pcontrol(3). The lowest rank of each node (*leader*) takes part; the node of
// rank 0 is the reference. On one node nothing happens. A point is written to the metadata of the leader's
// main thread when it is measured, so a killed job keeps it:
//
//     "clock": {"reference": "node0", "points": [
//         {"local": 48717454672065, "offset": -1234567918, "low": -1234576911, "high": -1234558924,
//          "round_trip": 18567, "samples": 600, "method": "envelope"}]}
//
// No wait is unlimited. A leader that sends nothing for OVNI_SYNC_TIMEOUT (in a burst a quarter of it) is
// given up. The measurement as a whole is given up after five times OVNI_SYNC_TIMEOUT. One line names the
// rank, and its node has no point. A leader that comes later is informed, and does not wait. All exchanges
// together have half of the timeout, each link an equal share. A link that used its share keeps its
// exchanges, at least one. If not all leaders call MPI_Pcontrol(3), the others wait for the timeout once, and
// for an eighth of it at later points.
//
// Cost on 4 virtual nodes on 2 cores, slowest rank, --sync off -> both: MPI_Init 153 -> 205 ms, MPI_Finalize
// 56 -> 127 ms; with 4 ranks per node and two more spinning processes 770 -> 1441 ms and 162 -> 1180 ms. One
// more point takes 50 ms there, 14 ms on 2 nodes.
#pragma once

#include "mpi/interpose/job/host.hpp"
#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

enum class Occasion { init, pcontrol, finalize };

// Call in MPI_Init. Collective over the leaders, without effect on other ranks. `host`: of this node. The
// values of OVNI_SYNC and OVNI_SYNC_TIMEOUT on rank 0 apply. False if no clocks will be measured.
bool prepare_clock_points(PrivateComm& leaders, const Host& host) noexcept;

// Collective over the leaders. Call in the thread that called MPI_Init.
void take_clock_point(Occasion occasion) noexcept;

}  // namespace ovni::mpi
