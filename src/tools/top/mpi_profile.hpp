// The activity of the processes of a trace in MPI: calls, time and bytes by function and rank.
#pragma once

#include <map>
#include <string>

#include "model/mpi_sums.hpp"
#include "source/call_sites.hpp"
#include "tools/text_output.hpp"
#include "trace/trace.hpp"

namespace ovni {

class MpiProfile {
 public:
    // `sites` lives as long as this.
    explicit MpiProfile(const CallSites& sites) : sites_(sites) {}
    // Adds a thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All ranks together, then each; of each the functions with most time first.
    void print(TextOutput& out) const;
    // Prints these by function and call site.
    void print_sites(TextOutput& out) const;
    static constexpr const char* nothing = "no call of MPI was recorded";

 private:
    struct Rank {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        std::string loom;
        auto operator<=>(const Rank&) const = default;
    };
    std::string name_of(const Rank& rank) const;
    static void print_rows(TextOutput& out, const std::string& name, const MpiSumsByFunction& sums);
    void print_rows_of_sites(TextOutput& out, const std::string& name, const MpiSumsByCaller& sums) const;

    const CallSites& sites_;
    std::map<Rank, ProcessInMpi> ranks_;
};

}  // namespace ovni
