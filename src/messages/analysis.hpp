// The traffic between the processes of a trace: messages, waits, efficiencies, the critical path. All ranks
// find it together from the scanned events.
#pragma once

#include "messages/costs/critical_path.hpp"
#include "messages/costs/delay_costs.hpp"
#include "messages/costs/efficiency.hpp"
#include "messages/hybrid/region_borders.hpp"
#include "messages/match/find_messages.hpp"
#include "messages/waits/find_waits.hpp"
#include "trace/clock_model.hpp"

namespace ovni {

struct TrafficAnalysis {
    SentMessages messages;                 // whose sender this rank has
    Waits waits;                           // of threads of this rank, by begin and stream
    Collectives collectives, world_calls;  // as find_waits() has left them
    std::vector<UnmatchedEnd> unmatched;   // together with other ranks: all of the trace
    FoundObjects objects;                  // windows and files of processes of this rank
    std::vector<RegionBorder> borders;     // of processes of this rank, if some have several threads
    MessageSummary summary;
    WaitSummary wait_summary;
    CriticalPath critical_path;
    // Both on rank 0, and only with Analysis::whole.
    std::future<Efficiencies> efficiencies;
    std::vector<DelayCost> delays;
};

// for_timeline: without efficiencies and delays.
enum class Analysis { for_timeline, whole };

// `mine`: the scanned processes of this rank; their ends of messages are used up. `threads`: of this rank.
// Collective.
TrafficAnalysis analyse_traffic(const Ranks& ranks, const Trace& trace, const System& system,
                                const ClockModel& clocks, const std::vector<bool>& mine, Scanned& scanned,
                                size_t threads, Analysis analysis);

}  // namespace ovni
