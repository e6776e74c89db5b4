// ovnitop --pop DIR: efficiencies of a run and of its regions, and its critical path.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/costs/critical_path.hpp"
#include "messages/costs/efficiency.hpp"
#include "tools/top/data_table.hpp"

namespace ovni {

using RegionNames = std::map<int64_t, std::string>;  // by value

// Lines in text.
DataTable table_of_sentences(std::string name, const std::vector<std::string>& sentences);
// The first of these. `all` may be empty.
DataTable table_of_run(const std::vector<Efficiency>& all, const System& system);
// A row for each rank, function and region; text has sums of ranks and of functions.
DataTable table_of_critical_path(const CriticalPath& path, const System& system, const RegionNames& regions,
                                 const CallSites& sites);
DataTable table_of_regions(const std::vector<Efficiency>& all, const System& system,
                           const RegionNames& regions);

}  // namespace ovni
