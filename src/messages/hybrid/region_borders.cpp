#include "messages/hybrid/region_borders.hpp"

#include <algorithm>

namespace ovni {

std::vector<RegionBorder> region_borders(const System& system, const std::vector<ProcessTimes>& times,
                                         const std::vector<RegionChange>& changes) {
    std::vector<RegionBorder> borders;
    for (const ProcessTimes& of : times) {
        borders.push_back({of.process, RegionChange::What::open, 0, of.begin});
        borders.push_back({of.process, RegionChange::What::close, 0, of.end});
    }
    for (const RegionChange& change : changes)
        borders.push_back({system.process_of_stream(change.stream), change.what, change.region, change.time});
    std::ranges::stable_sort(borders, {}, &RegionBorder::time);
    return borders;
}

bool has_several_threads(const System& system) {
    return std::ranges::any_of(system.processes(),
                               [](const ProcessInfo& process) { return process.thread_count > 1; });
}

}  // namespace ovni
