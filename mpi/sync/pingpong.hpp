// Ping-pong exchanges between the ranks of a communicator that has one rank per node: rank 0, whose clock is
// the reference, with each other rank in turn (a star). Who is not in turn sleeps.
#pragma once

#include <functional>
#include <vector>

#include "comm/comm.hpp"
#include "core/clock.hpp"
#include "sync/estimate.hpp"

namespace ovni::sync {

// Sees every exchange on rank 0: the rank, the number of its exchange, the time stamps.
using Witness = std::function<void(int rank, int sample, const Exchange& exchange)>;

class PingPong {
 public:
    // Takes `samples` exchanges per rank and round, in bursts.
    PingPong(const Comm& nodes, const Clock& clock, int samples, Witness witness);

    // On rank 0 only: one estimate per rank, that of rank 0 itself is 0. Needs the others in serve().
    std::vector<Estimate> measure();
    // On rank 0 only: lets the others return from serve().
    void stop();
    // On all other ranks: answers until rank 0 stops.
    void serve();

 private:
    std::vector<Exchange> burst(int rank, int exchanges);
    void answer(int exchanges);

    const Comm& nodes_;
    const Clock& clock_;
    int samples_;
    Witness witness_;
};

}  // namespace ovni::sync
