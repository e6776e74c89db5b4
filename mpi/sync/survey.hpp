// Measurements of all nodes together, once or again and again, whose results come to rank 0.
#pragma once

#include <vector>

#include "core/clock.hpp"
#include "mpi/comm/comm.hpp"
#include "mpi/sync/corridor.hpp"
#include "mpi/sync/measure.hpp"
#include "mpi/sync/mpi_link.hpp"

namespace ovni::sync {

// One exchange, seen by the node that measured.
struct Sample {
    int32_t round;   // measurement of all nodes, from 0
    int32_t number;  // of the exchange, from 0 in every round
    int32_t reference;
    int32_t node;
    Exchange exchange;
};

enum class Keep { estimates, samples };

class Survey {
 public:
    // One rank of `nodes` per node, rank 0 is the reference.
    Survey(const Comm& nodes, const Clock& clock, Effort effort, Keep keep);

    // On rank 0 an estimate per node, else nothing. Collective, as all below. Throws Error where a node
    // stopped answering.
    std::vector<Estimate> measure();
    // On rank 0 per node what the exchanges of all measurements left, seen from the node that measured it.
    std::vector<Corridor> gather_corridors() const;
    // On rank 0 the samples of all nodes since the last call, by round, node and number, if they are kept.
    std::vector<Sample> take_samples();

 private:
    const Comm& nodes_;
    MpiLink link_;
    Effort effort_;
    Keep keep_;
    int32_t rounds_ = 0;
    std::vector<Sample> samples_;
    std::vector<Corridor> corridors_;  // per node; empty for those that others measure
};

}  // namespace ovni::sync
