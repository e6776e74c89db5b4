// The cost of a distributed emulation, rank by rank: for the benchmark that checks the cost model in the
// README, and for users who want to know how many ranks are worth it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "mpi/comm/comm.hpp"
#include "session/emulation.hpp"

namespace ovni {

// The cost of one rank. Plain data.
struct RankStatistics : EmulationCost {
    uint64_t collectives = 0, messages = 0, bytes_sent = 0;  // Ranks::Traffic
    uint64_t peak_memory = 0;                                // bytes resident, with what MPI itself takes
};

// Rank 0 writes a JSON array with one object per rank. Collective.
void write_statistics(const Comm& comm, const EmulationCost& mine, const std::filesystem::path& path);

}  // namespace ovni
