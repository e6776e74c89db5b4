#include "session/emulation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/log.hpp"
#include "base/memory_limit.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "core/launcher.hpp"
#include "emu/plan/start.hpp"
#include "emu/task_labels.hpp"
#include "messages/analysis.hpp"
#include "messages/match/message_lines.hpp"
#include "messages/stuck/first_death.hpp"
#include "ovni/mpi_events.h"
#include "session/call_sites.hpp"
#include "session/check/end_checks.hpp"
#include "session/check/left_events.hpp"
#include "session/check/open_calls_at_end.hpp"
#include "session/check/trace_check.hpp"
#include "session/gather.hpp"
#include "session/replay/breakdown_lines.hpp"
#include "session/replay/exchange.hpp"
#include "session/replay/tie_exchange.hpp"
#include "sink/output_formats.hpp"
#include "sink/paraver/prv_sink.hpp"
#include "trace/merger.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

namespace {

// Why ranks cannot share CPUs, if they cannot.
std::string_view reason_against_sharing(const EmulationOptions& options, const Plan& plan) {
    // The exact order follows from the clocks of all events.
    if (options.order == EventOrder::exact) return "with --exact-order";
    // The lines of a punctual state follow from those before it, which another rank may have made.
    const auto is_punctual = [](const ChannelPlan& channel) {
        return channel.punctual == ChannelPlan::Punctual::yes && channel.cpu_tracking != Tracking::none;
    };
    return std::ranges::any_of(plan.channels, is_punctual) ? "if marks are punctual" : "";
}

}  // namespace

Emulation::Emulation(const EmulationOptions& options, Distribution& distribution)
    : options_(options),
      distribution_(distribution),
      clock_sources_(distribution.read_clock_sources()),
      held_trace_(distribution.read_trace(clock_sources_, damages_)),
      trace_(*held_trace_),
      system_(ranks().agree([&] { return System(trace_, options.row_names); })),
      clocks_(ranks().agree([&] { return ClockModel::of_sources(trace_, clock_sources_); })),
      plan_(ranks().agree([&, sites = read_call_sites(ranks(), trace_)]() mutable {
          return make_plan(trace_, system_, options.enabled, options.breakdowns, std::move(sites));
      })),
      work_(find_work(ranks(), trace_, system_, distribution.readers(), quiet_reader(),
                      reason_against_sharing(options, plan_))) {}

namespace {

void tell_writing(const std::filesystem::path& directory, Ending ending) {
    const std::string_view what = ending == Ending::complete ? "the outputs"
                                  : ending == Ending::partial
                                      ? "what came before the error, as .partial files,"
                                      : "what was emulated so far";
    log::info("writing {} to {}, please wait", what, directory.string());
}

}  // namespace

int Emulation::run() {
    const Ranks& team = ranks();
    const bool is_for_one = !team.is_alone() && root_reads_all();
    const int status = is_for_one ? emulate_on_root(team) : emulate();
    tell_cost(team);
    return status;
}

// A rank that has all the work is faster alone.
int Emulation::emulate_on_root(const Ranks& team) {
    content_.warnings = gather_warnings(team);
    return team.run_on_root([&] {
        distribution_.go_on_alone();
        work_ = Work::whole(system_);
        return emulate();
    });
}

int Emulation::emulate() {
    make_sinks();
    prepare_outputs();
    std::vector<StreamReader> readers = ranks().agree([&] { return open_streams(Checksums::compared); });
    int64_t origin = find_origin(readers);
    scan();
    analyse_traffic(origin);
    Emulator emulator(trace_, system_, plan_, options_.strictness, origin, work_.share);
    if (any_needs(&Sink::needs_calls)) find_calls(origin);
    if (needs_report() || (any_needs(&Sink::needs_regions) && has_regions()))
        tallies_.emplace(system_, plan_);
    Window window = make_window(std::move(readers), emulator, origin);
    if (work_.shares_cpus) window.follow(work_.followed);
    begin_sinks();
    replay(emulator, window);
    Schema& schema = plan_.schema;
    EmulationEnd end = check_end(emulator, window, schema);
    Ending ending = window.error()             ? Ending::partial
                    : window.was_interrupted() ? Ending::interrupted
                                               : Ending::complete;
    end_sinks(window, schema, ending);
    if (ranks().is_root()) print_end(end, trace_.streams().size());
    return status_of(end);
}

void Emulation::prepare_outputs() {
    ranks().agree([&] {
        if (!ranks().is_root()) return;
        if (!options_.empty_is_ok) {
            refuse_nothing_left(trace_, damages_);
            refuse_no_trace(trace_, "--empty-ok");
        }
        tell_left_events(trace_);
        distribution_.check(trace_, system_, clocks_);
        clocks_.check(clocks_.hosts_of(trace_));
        if (options_.tolerance == Tolerance::keep_going) print(damages_);
        make_output_directory(options_);
        if (options_.report) report_file_.emplace(*options_.report);
        if (options_.statistics) statistics_file_.emplace(*options_.statistics);
        views_ = write_views(options_.output, all_models());
    });
}

std::vector<StreamReader> Emulation::open_streams(Checksums checksums) const {
    std::vector<uint32_t> wanted;
    for (uint32_t s = 0; s < trace_.streams().size(); ++s)
        if (reads(s)) wanted.push_back(s);
    // Other ranks keep the other cores busy. A plan of how to sort takes 16 MB while it is made.
    const bool is_parallel = ranks().is_alone() && options_.regions != Regions::sorted;
    const size_t threads = is_parallel ? threads_for_files(wanted.size()) : 1;
    return ovni::open_streams(trace_, clocks_, wanted, options_.regions, checksums, threads);
}

bool Emulation::reads(uint32_t s) const {
    uint32_t thread = system_.thread_of_stream(s);
    bool is_mine = thread == System::no_thread ? distribution_.reads_stray(s)
                                               : work_.share.processes[system_.threads()[thread].process];
    return is_mine && trace_.streams()[s].is_readable();
}

bool Emulation::root_reads_all() const {
    bool is_all = true;
    for (uint32_t s = 0; s < trace_.streams().size(); ++s)
        if (trace_.streams()[s].is_readable()) is_all &= reads(s);
    return ranks().broadcast(is_all);
}

// Opens a stream once more: what is wrong with it is told elsewhere.
OpenStream Emulation::quiet_reader() const {
    return [this](uint32_t s) {
        return open_stream(trace_, clocks_, s, options_.regions, Checksums::compared_quietly);
    };
}

int64_t Emulation::find_origin(const std::vector<StreamReader>& readers) const {
    std::vector<int64_t> first_clocks(trace_.streams().size(), no_clock);
    for (const StreamReader& reader : readers)
        first_clocks[reader.index()] = reader.first_clock().value_or(no_clock);
    first_clocks = ranks().allreduce(Op::min, std::move(first_clocks));
    return ranks().broadcast(
        ranks().agree([&] { return ranks().is_root() ? time_origin(trace_, first_clocks) : 0; }));
}

Window Emulation::make_window(std::vector<StreamReader> readers, Emulator& emulator, int64_t origin) {
    std::unique_ptr<TieExchange> ties;
    EventOrder order = options_.order;
    if (order == EventOrder::exact && !ranks().is_alone()) {
        ties = std::make_unique<TieExchange>(
            ranks(), ranks().agree([&] { return open_streams(Checksums::compared_quietly); }),
            trace_.streams().size());
        order = EventOrder::received;
    }
    Merger merger(std::move(readers), order);
    merger.count_ties(tie_groups(trace_, system_));
    return {ranks(),
            std::move(merger),
            emulator,
            distribution_.window_size(),
            origin,
            std::move(ties),
            tallies_ ? &tallies_->events : nullptr,
            traffic_ ? &*traffic_ : nullptr,
            calls_ ? &*calls_ : nullptr};
}

// Many ranks have a core each.
size_t Emulation::threads() const {
    return ranks().is_alone() ? usable_cores() : 1;
}

void Emulation::scan() {
    ScanFor wanted;
    wanted.messages = options_.messages != Messages::left_out && may_have_messages(trace_);
    wanted.open_calls = may_have_open_calls(trace_);
    wanted.open_waits = may_have_open_waits(trace_);
    wanted.timeline = any_needs(&Sink::needs_calls);
    if (wanted.messages || wanted.timeline)
        limit_memory(options_.memory.value_or(fair_memory_limit(local_size_by_launcher())),
                     memory_directory());
    ScannedPart part{work_.share.processes, {}, threads()};
    for (uint32_t s = 0; s < trace_.streams().size(); ++s)
        if (reads(s) && system_.thread_of_stream(s) == System::no_thread) part.strays.push_back(s);
    scanned_ = ranks().agree([&] { return ovni::scan(trace_, system_, part, wanted, quiet_reader()); });
}

void Emulation::analyse_traffic(int64_t origin) {
    if (options_.messages == Messages::left_out || !may_have_messages(trace_)) return;
    TrafficAnalysis found =
        ovni::analyse_traffic(ranks(), trace_, system_, clocks_, work_.share.processes, scanned_, threads(),
                              needs_report() ? Analysis::whole : Analysis::for_timeline);
    add_wait_types(ranks(), found.waits, found.critical_path, plan_.schema.thread);
    if (any_needs(&Sink::needs_traffic)) {
        rows_ = traffic_rows(system_, found, origin);
        longest_waits_ = wait_rows(system_, ranks().broadcast(found.wait_summary.longest), origin);
    }
    traffic_.emplace(
        PendingMessages(system_, std::move(found.messages), origin),
        WaitsInTimeline(system_, found.waits, found.critical_path, work_.share.processes, origin));
    content_.traffic = {std::move(found.summary),
                        std::move(found.wait_summary),
                        {},
                        std::move(found.critical_path),
                        std::move(found.delays)};
    efficiencies_ = std::move(found.efficiencies);
    if (ranks().is_root() && !content_.traffic->messages.is_empty())
        for (const std::string& line : message_lines(content_.traffic->messages)) log::info("{}", line);
    tell_memory_in_files();
}

// Not every node sees the outputs.
std::filesystem::path Emulation::memory_directory() const {
    return std::filesystem::is_directory(options_.output) ? options_.output
                                                          : std::filesystem::temp_directory_path();
}

void Emulation::tell_memory_in_files() const {
    const MemoryInFiles mine = memory_in_files();
    const uint64_t all = ranks().allreduce(Op::sum, ranks().is_first_of_process() ? mine.most : 0);
    if (ranks().is_root() && all > 0)
        log::info("messages take more than --memory: {:.1f} MB lay in files in {}",
                  static_cast<double>(all) * 1e-6, memory_directory().string());
    if (!mine.refusal.empty())
        log::warn("messages take more than --memory, and files in {} cannot hold all of them: {}",
                  memory_directory().string(), mine.refusal);
}

void Emulation::find_calls(int64_t origin) {
    std::vector<uint32_t> streams;
    for (uint32_t s = 0; s < trace_.streams().size(); ++s)
        if (reads(s)) streams.push_back(s);
    mpi_plan_ = find_mpi_plan(ranks(), trace_, system_, scanned_, origin);
    scanned_.timeline.uses = std::vector<CommunicatorUse>();
    if (!mpi_plan_.plan.has_files()) return;
    ranks().agree([&] {
        calls_.emplace(ranks(), system_, mpi_plan_, scanned_.timeline.calls, streams, work_.share.processes,
                       origin);
    });
}

// A format that this build lacks is told before anything is read or written.
void Emulation::make_sinks() {
    ranks().agree([&] {
        sinks_.push_back(std::make_unique<PrvSink>(options_.output));
        for (const ChosenOutput& chosen : options_.outputs)
            sinks_.push_back(chosen.format->make(chosen.path));
    });
}

void Emulation::begin_sinks() {
    for (const auto& sink : sinks_) {
        sink->expect(
            {rows_, longest_waits_, mpi_plan_.plan, options_.min_duration, options_.leaves_out_states});
        sink->begin(ranks(), plan_);
    }
}

void Emulation::replay(Emulator& emulator, Window& window) {
    Progress progress;
    const uint64_t collectives_before = ranks().traffic().collectives;
    BreakdownLines lines(ranks(), plan_, system_);
    Writer writer(ranks(), sinks_, plan_.breakdowns.size(), distribution_.writer_mode());
    Exchange exchange(ranks(), options_.breakdowns);
    Stretch made, slice;
    while (window.next(made)) {
        ++cost_.windows;
        cost_.records_made += made.records.size();
        if (tallies_) {
            tallies_->states.take(std::span<const Record>(made.records.data(), made.records.size()));
            tallies_->states.take(made.shared_lines);
        }
        exchange.to_slices(made, slice);
        cost_.records_written += slice.records.size();
        Batch& batch = writer.batch();
        lines.append(slice, batch.breakdowns);
        std::swap(batch.records, slice.records);
        std::swap(batch.messages, slice.messages);
        std::swap(batch.calls, slice.calls);
        writer.submit();
        if (ranks().is_root()) progress.update(window.events(), window.progress());
    }
    progress.finish(window.events(), window.progress());
    writer.finish();
    cost_.collectives_in_windows = ranks().traffic().collectives - collectives_before;
    cost_.processes = static_cast<uint64_t>(std::ranges::count(work_.share.processes, true));
    cost_.streams = static_cast<uint64_t>(std::ranges::distance(emulator.machine().played()));
    cost_.events = emulator.events();
}

// Rank 0 prints what is wrong at the end. The schema gets the labels that are known only now.
EmulationEnd Emulation::check_end(Emulator& emulator, const Window& window, Schema& schema) {
    const bool is_whole = !window.error() && !window.was_interrupted();
    const std::vector<Burst> bursts = gather(ranks(), emulator.bursts(), window.end());
    if (ranks().is_root()) print(bursts, system_);
    if (window.error() && ranks().is_root()) {
        log::error("{}", *window.error());
        if (options_.part) log::info("the place in the file and the time are those of the part");
    }
    if (is_whole && ranks().is_root()) print_clocks(clocks_, trace_, window.origin(), window.duration());
    EmulationEnd end = window.error() ? EmulationEnd::with_errors : report_checks(emulator, window);
    if (is_whole) tell_waiting(window.origin());
    add_labels(schema, plan_, ranks().allreduce(Op::max, window.shown_extras()));
    std::vector<LabelledType> types = gather(ranks(), labelled_types(emulator, window.end()));
    std::vector<std::string> faults =
        add_task_labels(schema, plan_, std::move(types), is_whole ? Seen::all : Seen::part);
    if (ranks().is_root())
        for (const std::string& fault : faults) log::error("{}", fault);
    if (!faults.empty()) end = EmulationEnd::with_errors;
    if (content_.ended) content_.ended->label_faults = std::move(faults);
    return end;
}

// An interrupted emulation is not expected to have seen the end of every thread.
EmulationEnd Emulation::report_checks(Emulator& emulator, const Window& window) {
    uint64_t ties = ranks().allreduce(Op::sum, window.ties());
    if (ranks().is_root() && !window.was_interrupted()) print_ties(ties, options_.order);
    EndChecks mine;
    if (!window.was_interrupted()) mine.faults = faults_at_end(trace_, emulator, options_.strictness);
    mine.crowded = crowded_cpus(emulator, window.duration());
    mine.oddities = emulator.oddities();
    mine.lost = emulator.lost_events();
    content_.ended = {ties, gather(ranks(), mine), {}};
    const EndChecks& all = content_.ended->checks;
    if (ranks().is_root()) print(all, trace_, system_);
    if (!all.faults.empty()) return EmulationEnd::with_errors;
    return window.was_interrupted() ? EmulationEnd::interrupted : EmulationEnd::complete;
}

void Emulation::tell_waiting(int64_t origin) {
    if (may_have_open_calls(trace_)) content_.waiting = find_waiting(ranks(), trace_, system_, scanned_);
    if (may_have_open_waits(trace_)) content_.open_waits = find_open_waits(ranks(), scanned_);
    scanned_.open_calls = std::vector<EndOfProcess>();
    const auto count_from_origin = [&](auto& open) {
        open.since = time_between(origin, open.since);
        open.until = time_between(origin, open.until);
    };
    std::ranges::for_each(content_.waiting.calls, count_from_origin);
    std::ranges::for_each(content_.open_waits, count_from_origin);
    constexpr size_t most_lines = 10;
    if (!ranks().is_root()) return;
    if (std::string death = first_death(trace_, clocks_, content_.waiting); !death.empty())
        log::warn("{}", death);
    for (const std::string& line : sentences(content_.waiting, system_, shortest_wait, most_lines))
        log::warn("{}", line);
    for (const std::string& line : sentences(content_.open_waits, trace_, system_, content_.waiting,
                                             OtherWaits::left_out, shortest_wait, most_lines))
        log::warn("{}", line);
}

// Ranks in other processes leave it to rank 0 to print what they warn of.
void Emulation::tell_warnings_of_all() {
    content_.warnings.merge(gather_warnings(ranks()));
    if (!ranks().is_root()) return;
    for (const std::string& warning : content_.warnings) log::warn("{}", warning);
}

bool Emulation::needs_report() const {
    return options_.report || any_needs(&Sink::needs_report);
}

bool Emulation::has_regions() const {
    return std::ranges::any_of(plan_.schema.thread.types, [](const EventType& type) {
        return type.type == prv_type::first_mark + OVNI_MPI_REGION_MARK;
    });
}

bool Emulation::any_needs(bool (Sink::*what)() const) const {
    return std::ranges::any_of(sinks_, [&](const auto& sink) { return (*sink.*what)(); });
}

void Emulation::end_sinks(const Window& window, const Schema& schema, Ending ending) {
    tell_writing(options_.output, ending);
    const bool needs_facts = any_needs(&Sink::needs_facts);
    if (needs_facts || tallies_)
        content_.gaps = gather(ranks(), ranks().agree([&] {
            return gaps_of(trace_, system_, clocks_, window.origin(), work_.share.processes);
        }));
    if (tallies_) {
        tallies_->states.finish(window.duration());
        gather(ranks(), *tallies_, content_);
    }
    const Facts facts = needs_facts ? this->facts(window, schema) : Facts();
    rows_.end_at(window.duration());
    tell_warnings_of_all();
    const Json report = needs_report() ? make_report(window, schema) : Json();
    for (const auto& sink : sinks_) sink->end({schema, window.duration(), ending, facts, rows_, report});
    for (const auto& sink : sinks_) cost_.bytes_written += sink->bytes_written();
    if (ranks().is_root() && views_ == Views::written) write_trace_views(options_.output, plan_);
    if (ranks().is_root() && views_ == Views::written && calls_) write_mpi_views(options_.output);
    ranks().agree([&] {
        if (report_file_) report_file_->end(report, ending);
    });
}

void Emulation::tell_cost(const Ranks& team) {
    const PerRank<RankStatistics> all = share_statistics(team, cost_);
    team.agree([&] {
        if (!team.is_root()) return;
        log::info("{}", cost_line(all, seconds_since_start()));
        if (!statistics_file_) return;
        statistics_file_->write(statistics_as_json(all));
        statistics_file_->commit();
    });
}

Facts Emulation::facts(const Window& window, const Schema& schema) const {
    Facts facts = facts_of(trace_, system_, plan_, clocks_, tool_version(), window.origin(),
                           window.duration(), content_.gaps, damages_of(options_, damages_));
    facts.tables.push_back(regions_table(content_.regions, schema));
    return facts;
}

void Emulation::tell_efficiency(const ReportContent::TrafficFacts& traffic) const {
    if (traffic.efficiencies.all.empty()) return;
    for (const std::string& line : efficiency_lines(traffic.efficiencies.all.front(), system_))
        log::info("{}", line);
    for (const std::string& line : critical_path_lines(traffic.critical_path, system_)) log::info("{}", line);
}

// On rank 0; null on others.
Json Emulation::make_report(const Window& window, const Schema& schema) {
    content_.origin = window.origin();
    content_.duration = window.duration();
    content_.error = window.was_interrupted() ? "interrupted" : window.error();
    content_.damages = damages_of(options_, damages_);
    if (options_.part) content_.part = options_.part->cut;
    return ranks().agree([&] {
        if (content_.traffic) content_.traffic->efficiencies = efficiencies_.get();
        if (!ranks().is_root()) return Json();
        if (content_.traffic) tell_efficiency(*content_.traffic);
        return report_of({trace_, system_, plan_, clocks_, schema}, content_);
    });
}

}  // namespace ovni
