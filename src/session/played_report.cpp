#include "session/played_report.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "emu/emulator.hpp"
#include "emu/task_labels.hpp"
#include "session/gather.hpp"
#include "session/replay/window.hpp"
#include "source/call_sites.hpp"

namespace ovni {

namespace {

constexpr size_t records_of_window = size_t{1} << 16;

std::vector<StreamReader> readers_of(const Trace& trace, const System& system, const ClockModel& clocks) {
    std::vector<uint32_t> streams;
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        if (trace.streams()[s].is_readable() && system.thread_of_stream(s) != System::no_thread)
            streams.push_back(s);
    return open_streams(trace, clocks, streams, Regions::as_they_are, Checksums::compared_quietly,
                        threads_for_files(streams.size()));
}

// A tool without outputs does not list the models.
Plan plan_of(const Trace& trace, const System& system, CallSites sites) {
    const log::Silence of_models;
    return make_plan(trace, system, EnabledModels::required, Breakdowns::no, std::move(sites));
}

ReportContent::TrafficFacts facts_of(TrafficAnalysis& traffic) {
    return {std::move(traffic.summary), std::move(traffic.wait_summary), traffic.efficiencies.get(),
            std::move(traffic.critical_path), std::move(traffic.delays)};
}

}  // namespace

PlayedReport play_for_report(const Trace& trace, const System& system, const ClockModel& clocks,
                             int64_t origin, CallSites sites, TrafficAnalysis* traffic) {
    const Ranks alone;
    const Share all = Share::whole(system);
    PlayedReport played{plan_of(trace, system, std::move(sites)), {}};
    Plan& plan = played.plan;
    ReportContent& content = played.content;
    Emulator emulator(trace, system, plan, Strictness::tolerant, origin, all);
    std::optional<TrafficOutput> waits;
    if (traffic)
        waits.emplace(PendingMessages(system, std::move(traffic->messages), origin),
                      WaitsInTimeline(system, traffic->waits, traffic->critical_path, all.processes, origin));
    Tallies tallies(system, plan, traffic ? std::move(traffic->borders) : std::vector<RegionBorder>(),
                    origin);
    Window window(alone, Merger(readers_of(trace, system, clocks), EventOrder::canonical), emulator,
                  records_of_window, origin, &tallies.events, waits ? &*waits : nullptr, nullptr);
    Stretch made;
    while (window.next(made)) tallies.take(std::span<const Record>(made.records.data(), made.records.size()));
    tallies.finish(window.duration());
    gather(alone, tallies, content);
    if (traffic) content.traffic = facts_of(*traffic);
    content.duration = window.duration();
    content.error = window.error();
    if (!content.error) {
        content.ended = ReportContent::Ended{};
        content.ended->checks.crowded = crowded_cpus(emulator, window.duration());
    }
    add_labels(plan.schema, plan, window.shown_extras());
    add_task_labels(plan.schema, plan, labelled_types(emulator, window.end()), Seen::all);
    return played;
}

}  // namespace ovni
