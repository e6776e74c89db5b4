// The cost of an emulation, rank by rank: for the last line, for users who want to know how many ranks
// or threads are worth it, and for the benchmark that checks the cost model in mpi/emu/README.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/ranks.hpp"

namespace ovni {

// Counted while a rank emulates.
struct EmulationCost {
    uint64_t processes = 0, streams = 0, events = 0;
    uint64_t windows = 0;          // steps that all ranks took together
    uint64_t records_made = 0;     // by emulation
    uint64_t records_written = 0;  // after the exchange
    uint64_t bytes_written = 0;    // of text
    uint64_t collectives_in_windows = 0;
};

// Plain data.
struct RankStatistics : EmulationCost {
    uint64_t collectives = 0, messages = 0, bytes_sent = 0;  // Ranks::Traffic
    uint64_t peak_memory = 0;  // of its process: bytes resident, with what MPI itself takes
    uint64_t bytes_read = 0;   // of streams, by its process
    uint64_t is_first_of_process = 0;
};

// Collective; alike on all ranks.
PerRank<RankStatistics> share_statistics(const Ranks& ranks, const EmulationCost& mine);

// Such as "it took 1.25 s: 16 ranks, at most 103.2 MB each".
std::string cost_line(const PerRank<RankStatistics>& all, double seconds);

// A JSON array with one object per rank.
std::string statistics_as_json(const PerRank<RankStatistics>& all);

}  // namespace ovni
