#include "session/thread_uses_of_trace.hpp"

#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "emu/emulator.hpp"
#include "emu/task_labels.hpp"
#include "messages/hybrid/thread_uses.hpp"
#include "session/replay/window.hpp"
#include "session/report/hybrid_in_report.hpp"

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

}  // namespace

ThreadUsesOfTrace thread_uses_of(const Trace& trace, const System& system, const ClockModel& clocks,
                                 int64_t origin, const TrafficAnalysis* traffic) {
    ThreadUsesOfTrace found;
    if (!has_several_threads(system)) return found;
    const Ranks alone;
    Plan plan = make_plan(trace, system, EnabledModels::required, Breakdowns::no);
    const Share all = Share::whole(system);
    Emulator emulator(trace, system, plan, Strictness::tolerant, origin, all);
    std::optional<TrafficOutput> waits;
    if (traffic)
        waits.emplace(PendingMessages(system, {}, origin),
                      WaitsInTimeline(system, traffic->waits, traffic->critical_path, all.processes, origin));
    Window window(alone, Merger(readers_of(trace, system, clocks), EventOrder::canonical), emulator,
                  records_of_window, origin, nullptr, waits ? &*waits : nullptr, nullptr);
    ThreadUses uses(system, traffic ? traffic->borders : std::vector<RegionBorder>(), origin);
    Stretch made;
    while (window.next(made)) uses.take(std::span<const Record>(made.records.data(), made.records.size()));
    uses.finish(window.duration());
    if (window.error()) log::error("{}", *window.error());
    found.uses = {uses.processes(), uses.constructs(), uses.sleepers()};
    add_task_labels(plan.schema, plan, labelled_types(emulator, window.end()), Seen::all);
    found.parallel_regions = labels_of_parallel_regions(plan.schema.thread);
    return found;
}

}  // namespace ovni
