#include "messages/analysis.hpp"

#include <utility>

namespace ovni {

TrafficAnalysis analyse_traffic(const Ranks& ranks, const Trace& trace, const System& system,
                                const ClockModel& clocks, const std::vector<bool>& mine, Scanned& scanned,
                                size_t threads, Analysis analysis) {
    const StreamOwners owners(ranks, system, mine);
    FoundMessages found = find_messages(ranks, trace, system, owners, scanned);
    FoundWaits waits =
        find_waits(ranks, trace, system, clocks, owners,
                   {found.messages, found.others.collectives, found.others.world_calls, found.others.objects,
                    found.others.regions, found.others.times, found.others.probed});
    TrafficAnalysis all;
    all.critical_path =
        find_critical_path(ranks, system, waits.waits, found.others.times, found.others.regions);
    if (analysis == Analysis::whole) {
        if (has_several_threads(system))
            all.borders = region_borders(system, found.others.times, found.others.regions);
        all.delays =
            find_delay_costs(ranks, system, owners,
                             {waits.waits, waits.collectives, found.others.times, found.others.regions});
        all.efficiencies = find_efficiencies(ranks, system, owners,
                                             {found.messages, waits.collectives, found.others.regions},
                                             std::move(found.others.times), threads);
    }
    all.messages = std::move(found.messages);
    all.unmatched = std::move(found.unmatched);
    all.objects = std::move(found.others.objects);
    all.summary = std::move(found.summary);
    all.waits = std::move(waits.waits);
    all.collectives = std::move(waits.collectives);
    all.world_calls = std::move(waits.world_calls);
    all.wait_summary = std::move(waits.summary);
    return all;
}

}  // namespace ovni
