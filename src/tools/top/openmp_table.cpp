// --openmp: the parallel regions of OpenMP.
#include "base/log.hpp"
#include "emu/plan/start.hpp"
#include "messages/hybrid/hybrid_lines.hpp"
#include "session/thread_uses_of_trace.hpp"
#include "tools/text_output.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

int print_parallel_regions(const TracePart& part) {
    const Trace trace = open_for_table(part);
    const System system(trace);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    const ThreadUsesOfTrace threads =
        thread_uses_of(trace, system, clocks, time_origin(trace, clocks), nullptr);
    if (threads.uses.constructs.empty()) {
        log::info("no parallel regions: no process has recorded OpenMP with several threads");
        return 0;
    }
    TextOutput out;
    for (const std::string& line : construct_lines(threads.uses.constructs, system, threads.parallel_regions))
        fmt::format_to(std::back_inserter(out.text()), "{}\n", line);
    out.flush();
    return 0;
}

}  // namespace

const TopTable openmp_table = {
    {"openmp", "", "", "",
     R"(Print instead the parallel regions of OpenMP, of all ranks and of each rank: visits, threads of the largest team,
     time, time that the threads lose, and the share of their time that is useful, imbalance, scheduling, and waits for
     locks and critical sections.)"},
    print_parallel_regions};

}  // namespace ovni
