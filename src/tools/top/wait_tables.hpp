// ovnitop --waits: how long ranks waited in MPI for others, and who is to blame.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/costs/delay_costs.hpp"
#include "messages/waits/find_waits.hpp"
#include "tools/top/data_table.hpp"
#include "tools/top/rank_cells.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct WaitTableSources {
    const WaitSummary& waits;
    const std::vector<DelayCost>& delays;
    const Trace& trace;
    const System& system;
    const std::map<int64_t, std::string>& regions;  // names by value
    const CallSites& sites;
    const TimeInMpi& time;
    int64_t origin;  // of time
};

// Tables by kind, by call site, by the ranks that wait and those that are late, by their hosts, of the
// longest waits, and of delays by rank, function and region. Shares are those of the time of the rank that
// waits, else of all ranks.
std::vector<DataTable> wait_tables(const WaitTableSources& of);

}  // namespace ovni
