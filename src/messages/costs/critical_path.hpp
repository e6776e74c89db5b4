// The critical path: the chain of work that the length of a run hangs on. It ends in the process that comes
// last to MPI_Finalize, and is followed back in time: where a process waited it goes on in the process that
// was waited for (D. Boehme and others: Scalable critical-path based performance analysis, IPDPS 2012).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/costs/efficiency.hpp"
#include "messages/costs/process_profile.hpp"
#include "messages/scan/found_ends.hpp"
#include "messages/waits/waits.hpp"
#include "source/call_sites.hpp"

namespace ovni {

// A part of the path, in one process: ns, by the clocks of the waits.
struct PathPart {
    uint32_t process = 0;
    uint32_t stream = 0;  // of the thread that called MPI_Init
    int64_t begin = 0, end = 0;
};

// Times on the path. Plain data.
struct PathSum {
    uint32_t process = 0, padding = 0;
    Activity activity;
    int64_t ns = 0;
};

struct CriticalPath {
    std::vector<PathPart> parts;  // by time; alike on all ranks
    std::vector<PathSum> sums;    // on rank 0, sorted
};

// `waits`, `times`, `regions`: of processes of this rank. Collective.
CriticalPath find_critical_path(const Ranks& ranks, const System& system, std::span<const Wait> waits,
                                const std::vector<ProcessTimes>& times,
                                const std::vector<RegionChange>& regions);

// "critical path, by rank: rank 2 41.0 %, ...", what it consists of, and the lines that call MPI on it.
std::vector<std::string> critical_path_lines(const CriticalPath& path, const System& system,
                                             const CallSites& sites);

// No network can make the run shorter than what its path computes one after the other. A sentence if the
// efficiencies say so: they do not follow all waits that the path follows, such as those for windows.
std::optional<std::string> contradiction_of(const CriticalPath& path, const Efficiencies& efficiencies);

}  // namespace ovni
