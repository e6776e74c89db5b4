// ovnitop --pop DIR and --openmp: what the threads of processes lose.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/hybrid/hybrid_efficiency.hpp"
#include "tools/top/data_table.hpp"
#include "tools/top/efficiency_tables.hpp"

namespace ovni {

// The run, its regions, and its ranks: shares of the time of their threads. Not shown without threads.
std::vector<DataTable> hybrid_tables(const std::vector<HybridEfficiency>& all, const ThreadUseFacts& uses,
                                     const System& system, const RegionNames& regions);

// The names of parallel regions.
struct ParallelRegionNames {
    std::map<int64_t, std::string> labels;     // by value
    std::map<std::string, std::string> lines;  // "heat.c:12", by label, where they are known
};
// Parallel regions of OpenMP, those of all ranks together first.
std::vector<DataTable> parallel_region_tables(const std::vector<ConstructUse>& constructs,
                                              const System& system, const ParallelRegionNames& names);

}  // namespace ovni
