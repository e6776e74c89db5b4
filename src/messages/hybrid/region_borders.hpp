// When runs and regions of MPI_Pcontrol begin and end in each process, by corrected clocks.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/scan/found_ends.hpp"

namespace ovni {

// The run of a process (region 0) or a region of it begins or ends. A region may be
// open inside of itself.
struct RegionBorder {
    uint32_t process = 0;
    RegionChange::What what = RegionChange::What::open;
    int64_t region = 0, time = 0;
};

// In the order of time, for each process.
std::vector<RegionBorder> region_borders(const System& system, const std::vector<ProcessTimes>& times,
                                         const std::vector<RegionChange>& changes);

// True if a process has several threads: only then uses say more than efficiencies do.
bool has_several_threads(const System& system);

}  // namespace ovni
