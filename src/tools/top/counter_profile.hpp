// The use of the machine by the processes of a trace, by function of MPI, region, construct and thread: sums
// of counters, instructions per cycle, frequency.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/counter_sums.hpp"
#include "tools/text_output.hpp"
#include "trace/trace.hpp"

namespace ovni {

class CounterProfile {
 public:
    // Adds a thread of a process. Clocks are raw.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each: a line per function, then one per region and construct; of each rank one
    // per thread, if there are several.
    void print(TextOutput& out) const;
    static constexpr const char* nothing =
        "the trace has no counters: none were requested (ovnirun --counters), or the machine refused them "
        "(--counters list)";
    bool is_empty() const { return names_.empty(); }

 private:
    struct Rank {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        std::string loom;
        auto operator<=>(const Rank&) const = default;
    };
    using Row = std::pair<std::string, CounterSums>;
    size_t number_of(const std::string& name) const;
    void print_process(TextOutput& out, const std::string& rank, const ProcessCounters& process) const;
    void print_rows(TextOutput& out, const std::string& rank, std::vector<Row> rows) const;
    void print_threads(TextOutput& out, const std::string& name, const Rank& rank,
                       const ProcessCounters& process) const;
    std::string name_of_region(int64_t region) const;

    std::map<Rank, ProcessCounters> ranks_;
    std::vector<std::string> names_;  // by number
    std::map<int64_t, std::string> regions_;
    std::map<std::pair<Rank, int>, std::string> threads_;  // names by tid, of threads that have one
};

}  // namespace ovni
