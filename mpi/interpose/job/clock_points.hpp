// The job itself measures the clocks of its nodes, so that its trace says how they go: in MPI_Init, in
// MPI_Finalize (unless OVNI_SYNC=init), and at MPI_Pcontrol(3). The lowest rank of each node (*leader*) takes
// part; the node of rank 0 is the reference. On one node nothing happens. A point stands in the metadata of
// the leader's main thread as soon as it is measured, so a job that is killed keeps it:
//
//     "clock": {"reference": "node0", "points": [
//         {"local": 48717454672065, "offset": -1234567918, "low": -1234576911, "high": -1234558924,
//          "round_trip": 18567, "samples": 600, "method": "envelope"}]}
//
// Nobody waits for ever. A leader that is not heard of for OVNI_SYNC_TIMEOUT (in a burst a quarter of it) is
// given up, and so is everything after five times that: one line names its rank, its node has no point. A
// leader that comes later learns that, and does not wait. The exchanges have half of the timeout together,
// each link an equal share; a link that used its share keeps what it has, one exchange at least. If not all
// leaders call MPI_Pcontrol(3), the others lose the timeout once, and an eighth of it later.
//
// Cost on 4 virtual nodes on 2 cores, slowest rank, --sync off -> both: MPI_Init 153 -> 205 ms, MPI_Finalize
// 56 -> 127 ms; with 4 ranks per node and two more spinning processes 770 -> 1441 ms and 162 -> 1180 ms. One
// more point takes 50 ms there, 14 ms on 2 nodes.
#pragma once

#include "mpi/interpose/job/host.hpp"
#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

enum class Occasion { init, pcontrol, finalize };

// Call in MPI_Init; collective over the leaders, without effect on other ranks. `host`: that of this node.
// OVNI_SYNC and OVNI_SYNC_TIMEOUT of rank 0 count. False if nothing is going to be measured.
bool prepare_clock_points(PrivateComm& leaders, const Host& host) noexcept;

// Collective over the leaders. Call in the thread that called MPI_Init.
void take_clock_point(Occasion occasion) noexcept;

}  // namespace ovni::mpi
