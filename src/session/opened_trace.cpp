#include "session/opened_trace.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "session/call_sites.hpp"

namespace ovni {

OpenedTrace::OpenedTrace(const EmulationOptions& options_, Distribution& distribution_)
    : options(options_),
      distribution(distribution_),
      clock_sources(distribution.read_clock_sources()),
      held_trace(distribution.read_trace(clock_sources, damages)),
      trace(*held_trace),
      system(ranks().agree([&] { return System(trace, options.row_names); })),
      clocks(ranks().agree([&] { return ClockModel::of_sources(trace, clock_sources); })),
      plan(ranks().agree([&, sites = read_call_sites(ranks(), trace)]() mutable {
          return make_plan(trace, system, options.enabled, options.breakdowns, std::move(sites));
      })),
      share(options.order == EventOrder::exact
                ? share_of_root(ranks(), system)
                : find_share(ranks(), trace, system, distribution.readers(), quiet_reader())) {}

bool OpenedTrace::reads(uint32_t s) const {
    const uint32_t thread = system.thread_of_stream(s);
    const bool is_mine = thread == System::no_thread ? distribution.reads_stray(s)
                                                     : share.processes[system.threads()[thread].process];
    return is_mine && trace.streams()[s].is_readable();
}

bool OpenedTrace::root_reads_all() const {
    bool is_all = true;
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        if (trace.streams()[s].is_readable()) is_all &= reads(s);
    return ranks().broadcast(is_all);
}

void OpenedTrace::go_on_alone() {
    distribution.go_on_alone();
    share = Share::whole(system);
}

std::vector<StreamReader> OpenedTrace::open_streams(Checksums checksums) const {
    std::vector<uint32_t> wanted;
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        if (reads(s)) wanted.push_back(s);
    // Other ranks keep the other cores busy. A plan of how to sort takes 16 MB while it is made.
    const bool is_parallel = ranks().is_alone() && options.regions != Regions::sorted;
    const size_t threads = is_parallel ? threads_for_files(wanted.size()) : 1;
    return ovni::open_streams(trace, clocks, wanted, options.regions, checksums, threads);
}

OpenStream OpenedTrace::quiet_reader() const {
    return [this](uint32_t s) {
        return open_stream(trace, clocks, s, options.regions, Checksums::compared_quietly);
    };
}

int64_t OpenedTrace::find_origin(const std::vector<StreamReader>& readers) const {
    std::vector<int64_t> first_clocks(trace.streams().size(), no_clock);
    for (const StreamReader& reader : readers)
        first_clocks[reader.index()] = reader.first_clock().value_or(no_clock);
    first_clocks = ranks().allreduce(Op::min, std::move(first_clocks));
    return ranks().broadcast(
        ranks().agree([&] { return ranks().is_root() ? time_origin(trace, first_clocks) : 0; }));
}

}  // namespace ovni
