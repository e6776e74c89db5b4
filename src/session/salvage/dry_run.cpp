#include "session/salvage/dry_run.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/log.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/worlds.hpp"
#include "session/check/end_checks.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

constexpr uint64_t no_events = OVNI_FORMAT_STREAM_HEADER;

template <class Make>
auto silently(Make make) {
    log::Silence silence;
    return make();
}

}  // namespace

DryRun::DryRun(Trace& trace, DryRunOptions options)
    : trace_(trace),
      options_(std::move(options)),
      system_(silently([&] { return System(trace_); })),
      clocks_(silently([&] { return ClockModel::of_sources(trace_, options_.clocks); })),
      plan_(silently([&] {
          return make_plan(trace_, system_, options_.enabled, Breakdowns::no, unnamed_call_sites(trace_));
      })),
      pending_(system_.looms().size(), true),
      passes_(system_.looms().size()) {
    for (uint32_t s = 0; s < trace_.streams().size(); ++s) stream_of_.emplace(trace_.files_of(s), s);
    for (uint32_t s = 0; s < trace_.streams().size(); ++s)
        if (system_.thread_of_stream(s) == System::no_thread && trace_.streams()[s].bytes > no_events)
            cut({s, no_events, "it has events, but is not a thread's"});
}

std::vector<int64_t> DryRun::first_clocks(const std::vector<bool>& mine) const {
    std::vector<int64_t> clocks(trace_.streams().size(), no_clock);
    std::vector<Cut> unreadable;
    for (const StreamReader& reader : open(mine, unreadable))
        clocks[reader.index()] = reader.first_clock().value_or(no_clock);
    return clocks;
}

void DryRun::begin(const std::vector<int64_t>& first_clocks) {
    origin_ = no_clock;
    const std::vector<Stream>& streams = trace_.streams();
    size_t good = 0;
    while (good < streams.size() && (streams[good].is_cut || first_clocks[good] == no_clock)) ++good;
    for (uint32_t s = 0; s < streams.size(); ++s) {
        if (first_clocks[s] == no_clock) continue;
        if (streams[s].is_cut && good < streams.size() && is_far(first_clocks[s], first_clocks[good]))
            cut({s, no_events,
                 fmt::format(
                     "it is damaged, and its first clock, {}, is more than an hour from those of others",
                     first_clocks[s])});
        else
            origin_ = std::min(origin_, first_clocks[s]);
    }
    if (origin_ == no_clock) origin_ = 0;
}

bool DryRun::is_done() const {
    return std::ranges::none_of(pending_, std::identity());
}

std::vector<bool> DryRun::pending(const std::vector<bool>& mine) const {
    std::vector<bool> both(mine.size());
    for (size_t loom = 0; loom < mine.size(); ++loom) both[loom] = mine[loom] && pending_[loom];
    return both;
}

std::vector<StreamReader> DryRun::open(const std::vector<bool>& mine, std::vector<Cut>& unreadable) const {
    log::Silence silence;
    std::vector<StreamReader> readers;
    for (uint32_t s = 0; s < trace_.streams().size(); ++s) {
        if (!trace_.streams()[s].is_readable() || !is_of(s, mine)) continue;
        try {
            readers.push_back(open_stream(trace_, clocks_, s, options_.regions, Checksums::compared_quietly));
        } catch (const Error& e) {
            unreadable.push_back({s, no_events, e.what()});
        }
    }
    return readers;
}

Findings DryRun::pass(const std::vector<bool>& mine) const {
    std::vector<bool> looms = pending(mine);
    std::vector<Cut> unreadable;
    Merger merger(open(looms, unreadable), options_.order);
    Pass pass(*this, looms, std::move(merger), std::move(unreadable));
    pass.play();
    return pass.findings();
}

bool DryRun::is_of(uint32_t stream, const std::vector<bool>& looms) const {
    return system_.thread_of_stream(stream) != System::no_thread && looms[loom_of(stream)];
}

// Sorted regions cannot be cut: then the stream ends before the region.
uint64_t DryRun::before_region(uint32_t stream, uint64_t offset) const {
    if (options_.regions != Regions::sorted) return offset;
    const std::vector<ByteRange> ranges = plan_regions(trace_.files_of(stream), largest_block).ranges;
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range)
        if (range->begin < offset && offset < range->end) offset = range->begin;
    return offset;
}

void DryRun::apply(const Findings& findings) {
    pending_.assign(pending_.size(), false);
    for (uint32_t loom : findings.looms) pending_[loom] = true;
    for (const Cut& found : findings.cuts) cut(found);
    std::vector<bool> counted(pending_.size());
    for (const Cut& found : findings.cuts) {
        uint32_t loom = loom_of(found.stream);
        if (!counted[loom] && ++passes_[loom] > most_passes) end_all(loom);
        counted[loom] = true;
    }
    if (options_.order != EventOrder::canonical && !is_done()) pending_.assign(pending_.size(), true);
}

// An end by force is no event: if something is refused there, the stream loses all its events.
void DryRun::cut(const Cut& cut) {
    const Stream& stream = trace_.streams()[cut.stream];
    uint64_t end = cut.end < stream.bytes || !stream.metadata.end ? cut.end : no_events;
    trace_.cut(cut.stream, end);
    damages_[stream.relative_path()] = {stream.relative_path(), cut.cause, end};
}

void DryRun::end_all(uint32_t loom) {
    for (const ThreadInfo& thread : system_.threads())
        if (thread.loom == loom && trace_.streams()[thread.stream].is_readable())
            cut({thread.stream, no_events,
                 fmt::format("loom {} has too many events that are refused", system_.looms()[loom].name)});
    pending_[loom] = false;
}

void DryRun::finish(std::vector<Damage>& damages) const {
    std::erase_if(damages, [&](const Damage& damage) { return damages_.contains(damage.relative_path); });
    for (const auto& entry : damages_) damages.push_back(entry.second);
    std::ranges::sort(damages, {}, &Damage::relative_path);
    for (const MissingRanks& missing : missing_ranks(system_))
        damages.push_back({{}, sentence(missing), std::nullopt, missing.missing});
}

DryRun::Pass::Pass(const DryRun& run, const std::vector<bool>& mine, Merger merger, std::vector<Cut> cuts)
    : run_(run),
      merger_(std::move(merger)),
      emulator_(run.trace_, run.system_, run.plan_, Strictness::tolerant, run.origin_,
                Share::of_looms(run.system_, mine)),
      cuts_(std::move(cuts)),
      looms_(mine),
      over_(run.trace_.streams().size()) {
    for (const Cut& cut : cuts_) end(run_.loom_of(cut.stream));
}

void DryRun::Pass::play() {
    constexpr size_t most_records = size_t{8} << 10;
    log::Silence silence;
    try {
        while (const EventView* event = merger_.next()) {
            if (over_[event->stream]) continue;
            try {
                emulator_.apply(*event);
            } catch (const Error& e) {
                refuse(*event, e);
            }
            RecordQueue& made = emulator_.tracker().queue();
            if (made.size() >= most_records) made.rewind(0);
        }
    } catch (const Error& e) {
        stop_at(e);
    }
}

void DryRun::Pass::refuse(const EventView& event, const Error& error) {
    cuts_.push_back({event.stream, run_.before_region(event.stream, event.offset), error.what()});
    uint32_t loom = run_.loom_of(event.stream);
    if (!run_.has_many(loom)) return end(loom);
    again_.push_back(loom);
    over_[event.stream] = true;
    EventView end_of_thread = event;
    end_of_thread.kind = EventView::Kind::cut;
    try {
        emulator_.apply(end_of_thread);
    } catch (const Error&) {  // the thread disturbs no other one as it is
    }
}

// A stream that is damaged after all. Nothing is known of what comes later in any loom.
void DryRun::Pass::stop_at(const Error& damage) {
    const auto at_fault = run_.stream_of_.find(std::filesystem::path(damage.path).parent_path());
    if (at_fault == run_.stream_of_.end()) throw Error(damage);
    const uint32_t stream = at_fault->second;
    uint32_t loom = run_.loom_of(stream);
    bool in_events = damage.path == run_.trace_.path_of(stream) && damage.offset;
    uint64_t offset = in_events ? *damage.offset : no_events;
    if (!over_[stream]) cuts_.push_back({stream, run_.before_region(stream, offset), damage.what()});
    end(loom);
    for (uint32_t other = 0; other < looms_.size(); ++other)
        if (looms_[other]) again_.push_back(other);
    is_stopped_ = true;
}

void DryRun::Pass::end(uint32_t loom) {
    looms_[loom] = false;
    again_.push_back(loom);
    const LoomInfo& info = run_.system_.looms()[loom];
    for (uint32_t p = info.first_process; p < info.first_process + info.process_count; ++p) {
        const ProcessInfo& process = run_.system_.processes()[p];
        for (uint32_t t = process.first_thread; t < process.first_thread + process.thread_count; ++t)
            over_[run_.system_.threads()[t].stream] = true;
    }
}

void DryRun::Pass::end_the_living() {
    for (const Thread* thread : living_at_end(run_.trace_, emulator_.machine())) {
        const ThreadInfo& info = run_.system_.threads()[thread->row];
        if (over_[info.stream]) continue;
        std::string_view state = run_state_names[static_cast<size_t>(thread->state())];
        cuts_.push_back({info.stream, run_.trace_.streams()[info.stream].bytes,
                         fmt::format("its events end before the thread does, which is {}", state)});
        again_.push_back(info.loom);
    }
}

Findings DryRun::Pass::findings() {
    if (!is_stopped_) end_the_living();
    return {cuts_, again_};
}

void salvage_events(Trace& trace, const DryRunOptions& options, std::vector<Damage>& damages) {
    DryRun run(trace, options);
    const std::vector<bool> all(run.system().looms().size(), true);
    run.begin(run.first_clocks(all));
    while (!run.is_done()) run.apply(run.pass(all));
    run.finish(damages);
}

}  // namespace ovni
