#include "session/distribution.hpp"

#include "session/dry_run.hpp"
#include "session/left_events.hpp"
#include "session/salvaged_trace.hpp"
#include "session/trace_check.hpp"

namespace ovni {

ClockSources Distribution::read_clock_sources() {
    ClockSources found = ClockSources::find(options_.clock_table, {options_.files()});
    found.name_as_in(options_.trace);
    return found;
}

Trace Distribution::read_trace(const ClockSources& clocks, std::vector<Damage>& damages) {
    expect_begun(options_.trace);
    refuse_part_of_trace(options_.trace);
    const std::filesystem::path& directory = options_.files();
    const bool is_copy = options_.part.has_value();
    if (options_.tolerance == Tolerance::none)
        return is_copy ? Trace::open_copy(directory, options_.trace) : Trace::open(directory);
    std::vector<StreamFile> files;
    FoundStreams found = find_streams(directory);
    list_without_metadata(directory, found, damages);
    for (const std::string& relative_path : found.streams)
        if (auto file = salvage_stream(directory, relative_path, options_.regions, damages)) {
            if (is_copy) file->root = directory, file->is_copy = true;
            files.push_back(std::move(*file));
        }
    Trace trace =
        salvaged_trace(options_.trace, std::move(files), options_.enabled, options_.breakdowns, damages);
    salvage_events(trace, dry_run_of(options_, clocks), damages);
    return trace;
}

std::vector<bool> Distribution::my_looms(const Trace& /*trace*/, const System& system) const {
    return std::vector<bool>(system.looms().size(), true);
}

}  // namespace ovni
