// Processes, regions and calls in tables: their names, and the time that processes have for MPI.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/wide_sum.hpp"
#include "emu/plan/rank_names.hpp"
#include "emu/plan/system.hpp"
#include "messages/scan/scan.hpp"
#include "source/call_sites.hpp"
#include "tools/top/data_table.hpp"

namespace ovni {

// 3, or "1.3" and "pid 17" as RankNames have them.
Cell rank_cell(const RankNames& names, uint32_t process);
// A column of "rank 3" in text, "-" for no rank.
DataColumn full_rank_column(std::string name, std::string heading, size_t width, size_t gap);

// The label of a region, or its number if it has none; empty for 0, and for an empty label.
Cell label_cell(int64_t value, const std::map<int64_t, std::string>& labels);

// A function in mpi_function_rows; empty for another number.
Cell function_cell(uint32_t function);
// "solve heat.c:12, main heat.c:40"; empty if the site is unknown.
Cell call_site_cell(uint32_t site, const CallSites& sites);

// From the beginning of MPI_Init to the end of MPI_Finalize, of each process, in ns; 0 without MPI_Init.
class TimeInMpi {
 public:
    // Call before messages are matched, which uses up what was scanned.
    TimeInMpi(const Scanned& scanned, const System& system);
    WideSum of(uint32_t process) const { return by_process_[process]; }
    WideSum of_all() const { return all_; }

 private:
    std::vector<WideSum> by_process_;
    WideSum all_;
};

}  // namespace ovni
