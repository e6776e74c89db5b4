// The use of the machine by the processes of a trace, by function of MPI and by region: sums of counters,
// instructions per cycle, frequency.
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
    // One thread of a process. Clocks are raw.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each: a line per function, then one per region.
    void print(TextOutput& out) const;
    static constexpr const char* nothing =
        "the trace has no counters: nobody asked for them (ovnirun --counters), the machine refused them "
        "(--counters list), or no thread called MPI or named regions (--help counters)";
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
    std::string name_of_region(int64_t region) const;

    std::map<Rank, ProcessCounters> ranks_;
    std::vector<std::string> names_;  // by number
    std::map<int64_t, std::string> regions_;
};

}  // namespace ovni
