// The use of the machine by the processes of a trace, by function of MPI: sums of counters, instructions per
// cycle, frequency.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/counter_sums.hpp"
#include "tools/text_output.hpp"
#include "trace/trace.hpp"

namespace ovni {

class CounterProfile {
 public:
    // One thread of a process. Clocks are raw.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each: a line per function and counter.
    void print(TextOutput& out) const;
    static constexpr const char* nothing =
        "no counters were recorded: ask for them with ovnirun --counters, see its --help counters";
    bool is_empty() const { return names_.empty(); }

 private:
    struct Rank {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        std::string loom;
        auto operator<=>(const Rank&) const = default;
    };
    using Sums = std::map<const MpiFunctionRow*, CounterSums>;
    size_t number_of(const std::string& name) const;
    void print_rows(TextOutput& out, const std::string& rank, const Sums& sums) const;

    std::map<Rank, ProcessCounters> ranks_;
    std::vector<std::string> names_;  // by number
};

}  // namespace ovni
