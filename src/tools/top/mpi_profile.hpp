// The activity of the processes of a trace in MPI: calls, time and bytes by function and rank.
#pragma once

#include <map>
#include <vector>

#include "model/mpi_sums.hpp"
#include "source/call_sites.hpp"
#include "tools/top/data_table.hpp"
#include "tools/top/profiled_process.hpp"
#include "trace/trace.hpp"

namespace ovni {

class MpiProfile {
 public:
    // `sites` lives as long as this.
    explicit MpiProfile(const CallSites& sites) : sites_(sites) {}
    // Adds a thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each; of each the functions with most time first. Shares are those of the time
    // of these ranks.
    std::vector<DataTable> tables() const;
    // A row for each function and call site.
    std::vector<DataTable> tables_of_sites() const;
    static constexpr const char* nothing = "no call of MPI was recorded";

 private:
    struct Process {
        ProcessInMpi calls;
        TimeInTrace time;
    };
    WideSum time_of_all() const;

    const CallSites& sites_;
    std::map<ProfiledProcess, Process> processes_;
};

}  // namespace ovni
