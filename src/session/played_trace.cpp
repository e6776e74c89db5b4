#include "session/played_trace.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "base/progress.hpp"
#include "session/replay/breakdown_lines.hpp"
#include "session/replay/exchange.hpp"
#include "trace/merger.hpp"

namespace ovni {

namespace {

Window make_window(const OpenedTrace& opened, ScannedTrace& scanned, std::vector<StreamReader> readers,
                   int64_t origin, Emulator& emulator, std::optional<Tallies>& tallies) {
    Merger merger(std::move(readers), opened.options.order);
    merger.count_ties(tie_groups(opened.trace, opened.system));
    return {opened.ranks(),
            std::move(merger),
            emulator,
            opened.distribution.window_size(),
            origin,
            tallies ? &tallies->events : nullptr,
            scanned.traffic ? &*scanned.traffic : nullptr,
            scanned.calls ? &*scanned.calls : nullptr};
}

std::optional<Tallies> make_tallies(const OpenedTrace& opened, ScannedTrace& scanned, int64_t origin,
                                    Tallied tallied) {
    std::optional<Tallies> tallies;
    if (tallied == Tallied::yes)
        tallies.emplace(opened.system, opened.plan, std::move(scanned.borders), origin);
    return tallies;
}

}  // namespace

PlayedTrace::PlayedTrace(const OpenedTrace& opened, ScannedTrace& scanned, std::vector<StreamReader> readers,
                         int64_t origin, Tallied tallied)
    : emulator(opened.trace, opened.system, opened.plan, opened.options.strictness, origin, opened.share),
      tallies(make_tallies(opened, scanned, origin, tallied)),
      window(make_window(opened, scanned, std::move(readers), origin, emulator, tallies)),
      opened_(opened) {}

Ending PlayedTrace::ending() const {
    if (window.error()) return Ending::partial;
    return window.was_interrupted() ? Ending::interrupted : Ending::complete;
}

void PlayedTrace::play(const Writer::Sinks& sinks, EmulationCost& cost) {
    const Ranks& ranks = opened_.ranks();
    Progress progress;
    const uint64_t collectives_before = ranks.traffic().collectives;
    BreakdownLines lines(ranks, opened_.plan, opened_.system);
    Writer writer(ranks, sinks, opened_.plan.breakdowns.size(), opened_.distribution.writer_mode());
    Exchange exchange(ranks, opened_.options.breakdowns);
    Stretch made, slice;
    while (window.next(made)) {
        ++cost.windows;
        cost.records_made += made.records.size();
        if (tallies) tallies->take(std::span<const Record>(made.records.data(), made.records.size()));
        exchange.to_slices(made, slice);
        cost.records_written += slice.records.size();
        Batch& batch = writer.batch();
        lines.append(slice, batch.breakdowns);
        std::swap(batch.records, slice.records);
        std::swap(batch.messages, slice.messages);
        std::swap(batch.calls, slice.calls);
        writer.submit();
        if (ranks.is_root()) progress.update(window.events(), window.progress());
    }
    progress.finish(window.events(), window.progress());
    writer.finish();
    cost.collectives_in_windows = ranks.traffic().collectives - collectives_before;
    cost.processes = static_cast<uint64_t>(std::ranges::count(opened_.share.processes, true));
    cost.streams = emulator.machine().threads.size();
    cost.events = emulator.events();
}

}  // namespace ovni
