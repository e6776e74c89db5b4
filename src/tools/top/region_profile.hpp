// The regions of MPI_Pcontrol that the processes of a trace have visited.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/region_sums.hpp"
#include "tools/top/data_table.hpp"
#include "tools/top/profiled_process.hpp"
#include "trace/trace.hpp"

namespace ovni {

class RegionProfile {
 public:
    // Adds a thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, with the times of the ranks next to each other, then each rank; regions with most
    // time first. Shares are those of the time of these ranks.
    std::vector<DataTable> tables() const;
    static constexpr const char* nothing = "no region of MPI_Pcontrol was recorded";

 private:
    struct Process {
        RegionSumsByValue sums;
        TimeInTrace time;
    };
    std::string name_of(int64_t region) const;
    DataTable::Row row_of(const Cell& rank, int64_t region, const RegionSums& sums, WideSum whole) const;
    DataTable table_of_all() const;

    std::map<ProfiledProcess, Process> processes_;
    std::map<int64_t, std::string> names_;
};

}  // namespace ovni
