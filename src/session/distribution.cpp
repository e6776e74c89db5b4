#include "session/distribution.hpp"

#include "session/dry_run.hpp"
#include "session/left_events.hpp"
#include "session/salvaged_trace.hpp"
#include "session/trace_check.hpp"

namespace ovni {

ClockSources Distribution::read_clock_sources() {
    return ClockSources::find(options_.clock_table, {options_.trace});
}

Trace Distribution::read_trace(const ClockSources& clocks, std::vector<Damage>& damages) {
    expect_begun(options_.trace);
    refuse_part_of_trace(options_.trace);
    if (options_.tolerance == Tolerance::none) return Trace::open(options_.trace);
    std::vector<StreamFile> files;
    FoundStreams found = find_streams(options_.trace);
    list_without_metadata(options_.trace, found, damages);
    for (const std::string& relative_path : found.streams)
        if (auto file = salvage_stream(options_.trace, relative_path, options_.regions, damages))
            files.push_back(std::move(*file));
    Trace trace =
        salvaged_trace(options_.trace, std::move(files), options_.enabled, options_.breakdowns, damages);
    salvage_events(trace, dry_run_of(options_, clocks), damages);
    return trace;
}

std::vector<bool> Distribution::my_looms(const Trace& /*trace*/, const System& system) const {
    return std::vector<bool>(system.looms().size(), true);
}

}  // namespace ovni
