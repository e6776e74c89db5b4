// What a distributed emulation cost, rank by rank: for the benchmark that checks the cost model in the
// README, and for whoever wants to know how many ranks are worth it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "mpi/comm/comm.hpp"

namespace ovni {

// Of one rank. Plain data.
struct RankStatistics {
    uint64_t looms = 0, streams = 0, events = 0;
    uint64_t windows = 0;                                    // steps that all ranks took together
    uint64_t records_made = 0;                               // by emulation
    uint64_t records_written = 0;                            // after the exchange
    uint64_t bytes_written = 0;                              // of text
    uint64_t collectives = 0, messages = 0, bytes_sent = 0;  // Comm::Traffic
    uint64_t collectives_in_windows = 0;
    uint64_t peak_memory = 0;  // bytes resident, with what MPI itself takes
};

// Peak of this process so far, bytes.
uint64_t peak_memory();

// Rank 0 writes a JSON array with one object per rank. Collective.
void write_statistics(const Comm& comm, const RankStatistics& mine, const std::filesystem::path& path);

}  // namespace ovni
