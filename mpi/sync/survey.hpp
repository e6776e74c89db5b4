// Measurements of all nodes together, once or repeatedly. Results come to rank 0.
#pragma once

#include <vector>

#include "core/clock.hpp"
#include "mpi/comm/comm.hpp"
#include "mpi/sync/corridor.hpp"
#include "mpi/sync/measure.hpp"
#include "mpi/sync/mpi_link.hpp"

namespace ovni::sync {

// An exchange, seen by the node that measured.
struct Sample {
    int32_t round;   // measurement of all nodes, from 0
    int32_t number;  // number of the exchange, from 0 in every round
    int32_t reference;
    int32_t node;
    Exchange exchange;
};

enum class Keep { estimates, samples };

class Survey {
 public:
    // `nodes` has one rank per node; rank 0 is the reference.
    Survey(const Comm& nodes, const Clock& clock, Effort effort, Keep keep);

    // An estimate per node on rank 0, empty on other ranks. Collective, as are the functions below. Throws
    // Error if a node stopped answering.
    std::vector<Estimate> measure();
    // The corridors of all nodes on rank 0, each relative to the node that measured it.
    std::vector<Corridor> gather_corridors() const;
    // The samples of all nodes since the last call on rank 0, if kept, by round, node and number.
    std::vector<Sample> take_samples();

 private:
    const Comm& nodes_;
    MpiLink link_;
    Effort effort_;
    Keep keep_;
    int32_t rounds_ = 0;
    std::vector<Sample> samples_;
    std::vector<Corridor> corridors_;  // per node; empty for nodes that other nodes measure
};

}  // namespace ovni::sync
