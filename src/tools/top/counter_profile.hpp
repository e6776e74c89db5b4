// The use of the machine by the processes of a trace, by function of MPI, region, construct and thread: sums
// of counters, instructions per cycle, frequency.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/counter_sums.hpp"
#include "tools/top/data_table.hpp"
#include "tools/top/profiled_process.hpp"
#include "trace/trace.hpp"

namespace ovni {

class CounterProfile {
 public:
    // Adds a thread of a process. Clocks are raw.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each: a line per function, then one per region and construct; of each rank one
    // per thread, if there are several.
    std::vector<DataTable> tables() const;
    static constexpr const char* nothing =
        "the trace has no counters: none were requested (ovnirun --counters), or the machine refused them "
        "(--counters list)";
    bool is_empty() const { return names_.empty(); }

 private:
    // A line: "region" "solve", printed as "region solve".
    struct Place {
        std::string kind, name, text;
        const CounterSums* sums;
    };
    size_t number_of(const std::string& name) const;
    std::vector<DataColumn> columns() const;
    void add_places(DataTable& table, const Cell& rank, const ProcessCounters& process) const;
    void add_threads(DataTable& table, const ProfiledProcess& key, const ProcessCounters& process) const;
    void add_rows(DataTable& table, const Cell& rank, std::vector<Place> places) const;
    std::string name_of_region(int64_t region) const;

    std::map<ProfiledProcess, ProcessCounters> processes_;
    std::vector<std::string> names_;  // by number
    std::map<int64_t, std::string> regions_;
    std::map<std::pair<ProfiledProcess, int>, std::string>
        threads_;  // names by tid, of threads that have one
};

}  // namespace ovni
