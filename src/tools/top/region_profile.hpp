// The regions of MPI_Pcontrol that the processes of a trace have visited.
#pragma once

#include <map>
#include <string>

#include "model/region_sums.hpp"
#include "tools/text_output.hpp"
#include "trace/trace.hpp"

namespace ovni {

class RegionProfile {
 public:
    // Adds a thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, with the times of the ranks next to each other, then each rank; regions with most
    // time first.
    void print(TextOutput& out) const;
    static constexpr const char* nothing = "no region of MPI_Pcontrol was recorded";

 private:
    struct Rank {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        std::string loom;
        auto operator<=>(const Rank&) const = default;
    };
    std::string name_of(int64_t region) const;
    std::string name_of(const Rank& rank) const;
    void print_all(TextOutput& out) const;

    std::map<Rank, RegionSumsByValue> ranks_;
    std::map<int64_t, std::string> names_;
};

}  // namespace ovni
