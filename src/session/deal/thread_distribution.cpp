#include "session/deal/thread_distribution.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"
#include "session/salvage/dry_run.hpp"
#include "session/salvage/salvaged_trace.hpp"

namespace ovni {

namespace {

Trace read_trace(const EmulationOptions& options, const ClockSources& clocks, std::vector<Damage>& damages) {
    expect_begun(options.trace);
    refuse_part_of_trace(options.trace);
    const std::filesystem::path& directory = options.files();
    const bool is_copy = options.part.has_value();
    if (options.tolerance == Tolerance::none)
        return is_copy ? Trace::open_copy(directory, options.trace) : Trace::open(directory);
    std::vector<Stream> streams;
    FoundStreams found = find_streams(directory);
    list_without_metadata(directory, found, damages);
    for (const std::string& relative_path : found.streams)
        if (auto stream = salvage_stream(directory, relative_path, options.regions, damages)) {
            if (is_copy) stream->root = Stream::Root{directory, true};
            streams.push_back(std::move(*stream));
        }
    Trace trace = salvaged_trace(options.trace, std::move(streams), options.enabled, damages);
    salvage_events(trace, dry_run_of(options, clocks), damages);
    return trace;
}

}  // namespace

TraceInMemory read_trace(const EmulationOptions& options) {
    ClockSources clocks = ClockSources::find(options.clock_table, {options.files()});
    clocks.name_as_in(options.trace);
    std::vector<Damage> damages;
    auto trace = std::make_shared<const Trace>(read_trace(options, clocks, damages));
    return {std::move(clocks), std::move(trace), std::move(damages)};
}

int threads_for(const Trace& trace, std::optional<int> asked) {
    constexpr uint64_t fewest_bytes_each = uint64_t{4} << 20, most_tried = 8;
    std::set<std::pair<std::string_view, int>> processes;
    uint64_t bytes = 0;
    for (const Stream& stream : trace.streams()) {
        processes.emplace(stream.metadata.common->loom, stream.metadata.process->pid);
        bytes += stream.bytes;
    }
    const uint64_t useful = std::max<uint64_t>(processes.size(), 1);
    if (asked) {
        const uint64_t number = std::min(static_cast<uint64_t>(*asked), useful);
        if (std::cmp_less(number, *asked))
            log::info("-j {}: the trace has {} processes, so at most {} threads share the work", *asked,
                      processes.size(), number);
        if (number > usable_cores())
            log::info("more threads ({}) than cores ({}): fewer are faster", number, usable_cores());
        return static_cast<int>(number);
    }
    // A rank and its writer keep two cores busy.
    const uint64_t most =
        std::min<uint64_t>({usable_cores() / 2, useful, bytes / fewest_bytes_each, most_tried});
    return static_cast<int>(std::max<uint64_t>(most, 1));
}

std::shared_ptr<const Trace> ThreadDistribution::read_trace(const ClockSources& /*clocks*/,
                                                            std::vector<Damage>& damages) {
    damages = whole_.damages;
    return whole_.trace;
}

}  // namespace ovni
