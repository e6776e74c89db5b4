// What the processes of a trace did in MPI: calls, time and bytes by function and rank.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

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

    using Sums = std::map<const MpiFunctionRow*, MpiSums>;
    // I/O that a thread of the process began, by its request; and that one has completed before we know of
    // it.
    struct Transfers {
        std::unordered_map<uint32_t, const MpiFunctionRow*> begun;
        struct Completed {
            uint32_t request;
            const MpiFunctionRow* in;  // the call that completed it
            uint64_t bytes;
        };
        std::vector<Completed> completed;
    };

 private:
    struct Rank {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        auto operator<=>(const Rank&) const = default;
    };
    struct Process {
        Sums sums;
        Transfers transfers;
        // With what was completed, now that all threads are known.
        Sums whole() const;
    };
    static void print_rows(TextOutput& out, const std::string& name, const Sums& sums);

    std::map<Rank, Process> ranks_;
};

}  // namespace ovni
