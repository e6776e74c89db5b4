#include "session/emulation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/progress.hpp"
#include "emu/task_labels.hpp"
#include "messages/stuck/first_death.hpp"
#include "ovni/mpi_events.h"
#include "session/check/left_events.hpp"
#include "session/check/open_calls_at_end.hpp"
#include "session/check/trace_check.hpp"
#include "session/gather.hpp"
#include "session/report/hybrid_in_report.hpp"
#include "sink/output_formats.hpp"
#include "sink/paraver/prv_sink.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

Emulation::Emulation(const EmulationOptions& options, Distribution& distribution)
    : opened_(options, distribution), options_(options) {}

namespace {

void report_writing(const EmulationOptions& options, Ending ending) {
    const std::string_view what = ending == Ending::complete ? "the outputs"
                                  : ending == Ending::partial
                                      ? "what came before the error, as .partial files,"
                                      : "what was emulated so far";
    const std::string place =
        options.writes_to_directory() ? fmt::format(" to {}", options.output.string()) : std::string();
    log::info("writing {}{}, please wait", what, place);
}

}  // namespace

int Emulation::run() {
    const Ranks& team = ranks();
    const bool is_for_one = !team.is_alone() && opened_.root_reads_all();
    const int status = is_for_one ? emulate_on_root(team) : emulate();
    report_cost(team);
    return status;
}

// A rank that has all the work is faster alone.
int Emulation::emulate_on_root(const Ranks& team) {
    content_.warnings = gather_warnings(team);
    return team.run_on_root([&] {
        opened_.go_on_alone();
        return emulate();
    });
}

int Emulation::emulate() {
    make_sinks();
    prepare_outputs();
    std::vector<StreamReader> readers =
        ranks().agree([&] { return opened_.open_streams(Checksums::compared); });
    const int64_t origin = opened_.find_origin(readers);
    const ScanNeeds needs{any_needs(&Sink::needs_traffic), any_needs(&Sink::needs_calls), needs_report()};
    ScannedTrace scanned(opened_, needs, origin);
    PlayedTrace played(opened_, scanned, std::move(readers), origin,
                       needs_tallies() ? Tallied::yes : Tallied::no);
    begin_sinks(scanned);
    played.play(sinks_, cost_);
    const EmulationEnd end = check_end(scanned, played);
    end_sinks(scanned, played);
    if (ranks().is_root()) print_end(end, opened_.trace.streams().size());
    return status_of(end);
}

// A format that this build lacks is reported before anything is read or written.
void Emulation::make_sinks() {
    ranks().agree([&] {
        if (!options_.leaves_out_prv) sinks_.push_back(std::make_unique<PrvSink>(options_.output));
        for (const ChosenOutput& chosen : options_.outputs)
            sinks_.push_back(chosen.format->make(chosen.path));
    });
}

void Emulation::prepare_outputs() {
    ranks().agree([&] {
        if (!ranks().is_root()) return;
        if (!options_.empty_is_ok) {
            refuse_nothing_left(opened_.trace, opened_.damages);
            refuse_no_trace(opened_.trace, "--empty-ok");
        }
        warn_about_left_events(opened_.trace);
        opened_.distribution.check(opened_.trace, opened_.system, opened_.clocks);
        opened_.clocks.check(opened_.clocks.hosts_of(opened_.trace));
        if (options_.tolerance == Tolerance::keep_going) print(opened_.damages);
        if (options_.writes_to_directory()) make_output_directory(options_);
        if (options_.report) report_file_.emplace(*options_.report);
        if (options_.statistics) statistics_file_.emplace(*options_.statistics);
        if (!options_.leaves_out_prv) views_ = write_views(options_.output, all_models());
    });
}

void Emulation::begin_sinks(const ScannedTrace& scanned) {
    for (const auto& sink : sinks_) {
        sink->expect({scanned.rows, scanned.longest_waits, scanned.mpi.plan, options_.min_duration,
                      options_.leaves_out_states});
        sink->begin(ranks(), opened_.plan);
    }
}

// Rank 0 prints what is wrong at the end. The schema gets the labels that are known only now.
EmulationEnd Emulation::check_end(const ScannedTrace& scanned, PlayedTrace& played) {
    const bool is_whole = played.is_whole();
    const Window& window = played.window;
    Schema& schema = opened_.plan.schema;
    const std::vector<Burst> bursts = gather(ranks(), played.emulator.bursts(), window.end());
    if (ranks().is_root()) print(bursts, opened_.system);
    if (window.error() && ranks().is_root()) {
        log::error("{}", *window.error());
        if (options_.part) log::info("the place in the file and the time are those of the part");
    }
    if (is_whole && ranks().is_root())
        print_clocks(opened_.clocks, opened_.trace, window.origin(), window.duration());
    EmulationEnd end = window.error() ? EmulationEnd::with_errors : report_checks(played);
    if (is_whole) report_waiting(scanned, window.origin());
    add_labels(schema, opened_.plan, ranks().allreduce(Op::max, window.shown_extras()));
    std::vector<LabelledType> types = gather(ranks(), labelled_types(played.emulator, window.end()));
    std::vector<std::string> faults =
        add_task_labels(schema, opened_.plan, std::move(types), is_whole ? Seen::all : Seen::part);
    if (ranks().is_root())
        for (const std::string& fault : faults) log::error("{}", fault);
    if (!faults.empty()) end = EmulationEnd::with_errors;
    if (content_.ended) content_.ended->label_faults = std::move(faults);
    return end;
}

// An interrupted emulation is not expected to have seen the end of every thread.
EmulationEnd Emulation::report_checks(PlayedTrace& played) {
    Emulator& emulator = played.emulator;
    const Window& window = played.window;
    uint64_t ties = ranks().allreduce(Op::sum, window.ties());
    if (ranks().is_root() && !window.was_interrupted()) print_ties(ties, options_.order);
    EndChecks mine;
    if (!window.was_interrupted()) mine.faults = faults_at_end(opened_.trace, emulator, options_.strictness);
    mine.crowded = crowded_cpus(emulator, window.duration());
    mine.oddities = emulator.oddities();
    mine.lost = emulator.lost_events();
    content_.ended = {ties, gather(ranks(), mine), {}};
    const EndChecks& all = content_.ended->checks;
    if (ranks().is_root()) print(all, opened_.trace, opened_.system);
    if (!all.faults.empty()) return EmulationEnd::with_errors;
    return window.was_interrupted() ? EmulationEnd::interrupted : EmulationEnd::complete;
}

void Emulation::report_waiting(const ScannedTrace& scanned, int64_t origin) {
    if (may_have_open_calls(opened_.trace))
        content_.waiting = find_waiting(ranks(), opened_.trace, opened_.system, scanned.found);
    if (may_have_open_waits(opened_.trace)) content_.open_waits = find_open_waits(ranks(), scanned.found);
    const auto count_from_origin = [&](auto& open) {
        open.since = time_between(origin, open.since);
        open.until = time_between(origin, open.until);
    };
    std::ranges::for_each(content_.waiting.calls, count_from_origin);
    std::ranges::for_each(content_.open_waits, count_from_origin);
    constexpr size_t most_lines = 10;
    if (!ranks().is_root()) return;
    if (std::string death = first_death(opened_.trace, opened_.clocks, content_.waiting); !death.empty())
        log::warn("{}", death);
    for (const std::string& line : sentences(content_.waiting, opened_.system, shortest_wait, most_lines))
        log::warn("{}", line);
    for (const std::string& line :
         sentences(content_.open_waits, opened_.trace, opened_.system, content_.waiting, OtherWaits::left_out,
                   shortest_wait, most_lines))
        log::warn("{}", line);
}

// Rank 0 also prints the warnings of ranks in other processes.
void Emulation::print_warnings_of_all() {
    content_.warnings.merge(gather_warnings(ranks()));
    if (!ranks().is_root()) return;
    for (const std::string& warning : content_.warnings) log::warn("{}", warning);
}

bool Emulation::needs_report() const {
    return options_.report || any_needs(&Sink::needs_report);
}

bool Emulation::needs_tallies() const {
    if (needs_report()) return true;
    const bool has_regions = std::ranges::any_of(opened_.plan.schema.thread.types, [](const EventType& type) {
        return type.type == prv_type::first_mark + OVNI_MPI_REGION_MARK;
    });
    return has_regions && any_needs(&Sink::needs_regions);
}

bool Emulation::any_needs(bool (Sink::*what)() const) const {
    return std::ranges::any_of(sinks_, [&](const auto& sink) { return (*sink.*what)(); });
}

void Emulation::end_sinks(ScannedTrace& scanned, PlayedTrace& played) {
    const Window& window = played.window;
    const Schema& schema = opened_.plan.schema;
    const Ending ending = played.ending();
    std::optional<Tallies>& tallies = played.tallies;
    report_writing(options_, ending);
    const bool needs_facts = any_needs(&Sink::needs_facts);
    if (needs_facts || tallies)
        content_.gaps = gather(ranks(), ranks().agree([&] {
            return gaps_of(opened_.trace, opened_.system, opened_.clocks, window.origin(),
                           opened_.share.processes);
        }));
    if (tallies) {
        tallies->finish(window.duration());
        gather(ranks(), *tallies, content_);
    }
    const Facts facts = needs_facts ? this->facts(window) : Facts();
    scanned.rows.end_at(window.duration());
    print_warnings_of_all();
    const Json report = needs_report() ? make_report(scanned, window) : Json();
    for (const auto& sink : sinks_)
        sink->end({schema, window.duration(), ending, facts, scanned.rows, report});
    for (const auto& sink : sinks_) cost_.bytes_written += sink->bytes_written();
    if (ranks().is_root() && views_ == Views::written) write_trace_views(options_.output, opened_.plan);
    if (ranks().is_root() && views_ == Views::written && scanned.calls) write_mpi_views(options_.output);
    ranks().agree([&] {
        if (report_file_) report_file_->end(report, ending);
    });
}

void Emulation::report_cost(const Ranks& team) {
    const PerRank<RankStatistics> all = share_statistics(team, cost_);
    team.agree([&] {
        if (!team.is_root()) return;
        log::info("{}", cost_line(all, seconds_since_start()));
        if (!statistics_file_) return;
        statistics_file_->write(statistics_as_json(all));
        statistics_file_->commit();
    });
}

Facts Emulation::facts(const Window& window) const {
    Facts facts =
        facts_of(opened_.trace, opened_.system, opened_.plan, opened_.clocks, tool_version(), window.origin(),
                 window.duration(), content_.gaps, damages_of(options_, opened_.damages));
    facts.tables.push_back(regions_table(content_.regions, opened_.plan.schema));
    return facts;
}

void Emulation::print_efficiency(const ReportContent::TrafficFacts& traffic) const {
    if (traffic.efficiencies.all.empty()) return;
    for (const std::string& line : efficiency_lines(traffic.efficiencies.all.front(), opened_.system))
        log::info("{}", line);
    for (const std::string& line :
         critical_path_lines(traffic.critical_path, opened_.system, opened_.plan.call_sites))
        log::info("{}", line);
    if (const auto contradiction = contradiction_of(traffic.critical_path, traffic.efficiencies))
        log::warn("{}", *contradiction);
}

void Emulation::print_hybrid() const {
    const std::vector<HybridEfficiency> all = hybrid_efficiencies_of(content_);
    if (all.empty()) return;
    const HybridEfficiency& run = all.front();
    log::info("hybrid parallel efficiency      {:.3f}: MPI {:.3f}, threads {:.3f} (ovnitop --pop, --openmp)",
              run.parallel(), run.mpi_parallel(), run.threads_parallel());
}

// On rank 0; null on others.
Json Emulation::make_report(ScannedTrace& scanned, const Window& window) {
    content_.traffic = std::move(scanned.facts);
    content_.origin = window.origin();
    content_.duration = window.duration();
    content_.error = window.was_interrupted() ? "interrupted" : window.error();
    content_.damages = damages_of(options_, opened_.damages);
    if (options_.part) content_.part = options_.part->cut;
    return ranks().agree([&] {
        if (content_.traffic) content_.traffic->efficiencies = scanned.efficiencies.get();
        if (!ranks().is_root()) return Json();
        Json report = report_of(
            {opened_.trace, opened_.system, opened_.plan, opened_.clocks, opened_.plan.schema}, content_);
        for (const Json& sentence : report["in_short"])
            log::info("in short: {}", sentence.get<std::string>());
        if (content_.traffic) print_efficiency(*content_.traffic);
        print_hybrid();
        return report;
    });
}

}  // namespace ovni
