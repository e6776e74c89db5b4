// --openmp: the parallel regions of OpenMP.
#include "base/log.hpp"
#include "emu/plan/start.hpp"
#include "session/played_report.hpp"
#include "session/report/hybrid_in_report.hpp"
#include "tools/top/hybrid_tables.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

MadeTables make_parallel_regions(const TracePart& part) {
    const Trace trace = open_for_table(part);
    const System system(trace);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    const PlayedReport played = play_for_report(trace, system, clocks, time_origin(trace, clocks),
                                                resolved_call_sites(trace), nullptr);
    if (played.content.error) log::error("{}", *played.content.error);
    const std::vector<ConstructUse>& constructs = played.content.uses.constructs;
    if (constructs.empty())
        log::info("no parallel regions: no process has recorded OpenMP with several threads");
    const ParallelRegionNames names{labels_of_parallel_regions(played.plan.schema.thread),
                                    lines_of_labels(played.content)};
    return {parallel_region_tables(constructs, system, names), played.content.error ? 1 : 0};
}

}  // namespace

const TopTable openmp_table = {
    {"openmp", "", "", "",
     R"(Print instead the parallel regions of OpenMP, of all ranks and of each rank: visits, threads of the largest team,
     time, time that the threads lose, and the shares of their time that are useful, imbalance, scheduling, and waits
     for locks and critical sections; last the line of the region.)"},
    make_parallel_regions};

}  // namespace ovni
