// What the processes of a trace did in MPI: calls, time and bytes by function and rank.
#pragma once

#include <map>

#include "model/mpi_details.hpp"
#include "tools/text_output.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct MpiSums {
    uint64_t calls = 0;  // that were entered
    uint64_t nanoseconds = 0, sent = 0, received = 0;

    MpiSums& operator+=(const MpiSums& other);
};

class MpiProfile {
 public:
    // One thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each; of each the functions with most time first.
    void print(TextOutput& out) const;

 private:
    using Sums = std::map<const MpiFunctionRow*, MpiSums>;
    struct Rank {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        auto operator<=>(const Rank&) const = default;
    };
    static void print_rows(TextOutput& out, const std::string& name, const Sums& sums);

    std::map<Rank, Sums> ranks_;
};

}  // namespace ovni
