// Tables of what crosses processes: --messages, --matrix, --waits, --pop.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/table_memory.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/analysis.hpp"
#include "messages/stuck/open_trace.hpp"
#include "session/check/open_calls_at_end.hpp"
#include "session/played_report.hpp"
#include "session/report/hybrid_in_report.hpp"
#include "session/report/short_report.hpp"
#include "tools/top/efficiency_tables.hpp"
#include "tools/top/hybrid_tables.hpp"
#include "tools/top/message_table.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/rank_cells.hpp"
#include "tools/top/report_table.hpp"
#include "tools/top/tables.hpp"
#include "tools/top/wait_tables.hpp"
#include "trace/region_names.hpp"

namespace ovni {

namespace {

struct AnalysedTrace {
    TrafficAnalysis traffic;
    const Trace& trace;
    const System& system;
    const ClockModel& clocks;
    const CallSites& sites;
    int64_t origin;  // of time
    const TimeInMpi& time;
    Scanned& scanned;
    int status;  // 1 if something is wrong with the trace
};

std::vector<DataTable> tables_of_messages(AnalysedTrace& of) {
    if (of.traffic.summary.is_empty()) log::info("no messages: no process has recorded any");
    return message_tables(of.traffic.summary, of.system);
}
std::vector<DataTable> tables_of_matrix(AnalysedTrace& of) {
    if (of.traffic.summary.matched == 0) log::info("no messages: ovnitop --messages says why");
    return matrix_tables(of.traffic.summary, of.system);
}
std::vector<DataTable> tables_of_waits(AnalysedTrace& of) {
    if (of.traffic.wait_summary.sums.empty())
        log::info("no waits: no rank was late, or messages are not matched (ovnitop --messages)");
    const RegionNames regions = names_of_regions(of.trace);
    return wait_tables({of.traffic.wait_summary, of.traffic.delays, of.trace, of.system, regions, of.sites,
                        of.time, of.origin});
}
void warn_if_not_ended(const Trace& trace) {
    const auto ended_early = [](const Stream& stream) {
        const auto& end = stream.metadata.end;
        return end && end->by != "loss" && end->by != "exec";
    };
    if (std::ranges::any_of(trace.streams(), ended_early))
        log::warn("the program did not end in order, or is running still: see --waiting, too");
}
std::vector<DataTable> tables_of_efficiencies(AnalysedTrace& of) {
    PlayedReport played = play_for_report(of.trace, of.system, of.clocks, of.origin, of.sites, &of.traffic);
    ReportContent& content = played.content;
    if (may_have_open_calls(of.trace))
        content.waiting = find_waiting(Ranks(), of.trace, of.system, of.scanned);
    if (content.error) {
        log::error("{}", *content.error);
        of.status = 1;
    }
    const std::vector<Efficiency>& efficiencies = content.traffic->efficiencies.all;
    if (efficiencies.empty())
        log::info("no efficiencies: no process has recorded MPI_Init");
    else
        warn_if_not_ended(of.trace);
    if (const auto contradiction =
            contradiction_of(content.traffic->critical_path, content.traffic->efficiencies))
        log::warn("{}", *contradiction);
    const RegionNames regions = names_of_regions(of.trace);
    std::vector<DataTable> tables{
        table_of_sentences(
            "in_short",
            short_report({of.trace, of.system, played.plan, of.clocks, played.plan.schema}, content)),
        table_of_run(efficiencies, of.system),
        table_of_critical_path(content.traffic->critical_path, of.system, regions, of.sites),
        table_of_regions(efficiencies, of.system, regions)};
    if (efficiencies.empty()) std::for_each(tables.begin() + 1, tables.end(), hide_text);
    std::ranges::move(hybrid_tables(hybrid_efficiencies_of(content), content.uses, of.system, regions),
                      std::back_inserter(tables));
    return tables;
}

template <std::vector<DataTable> (*make)(AnalysedTrace& of), Analysis needs>
MadeTables make_traffic(const TracePart& part) {
    const Trace trace = open_for_table(part);
    if (part.cut()) log::warn("messages across the borders of a part are missing");
    const System system(trace);
    warn_about_missing_ranks(system);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    limit_table_memory(fair_memory_limit(1), std::filesystem::temp_directory_path());
    const CallSites sites = needs == Analysis::whole ? resolved_call_sites(trace) : CallSites();
    const ScannedPart all = ScannedPart::all_processes(system, usable_cores(), sites.of_streams());
    Scanned scanned = scan(trace, system, all, {.messages = true, .open_calls = may_have_open_calls(trace)},
                           [&](uint32_t s) { return open_stream(trace, clocks, s); });
    const TimeInMpi time(scanned, system);
    AnalysedTrace analysed{
        analyse_traffic(Ranks(), trace, system, clocks, all.processes, scanned, all.threads, needs),
        trace,
        system,
        clocks,
        sites,
        time_origin(trace, clocks),
        time,
        scanned,
        scanned.damages.empty() ? 0 : 1};
    for (const std::string& damage : scanned.damages) log::error("{}", damage);
    std::vector<DataTable> tables = make(analysed);
    return {std::move(tables), analysed.status};
}

}  // namespace

const TopTable message_table = {
    {"messages", "", "", "",
     R"(Match the messages of MPI instead, and print how many there are, their sizes, who sends how much to whom, and
     why some have no partner.)"},
    make_traffic<tables_of_messages, Analysis::for_timeline>};

const TopTable matrix_table = {{"matrix", "", "", "", "Messages as a matrix: bytes by sender and receiver."},
                               make_traffic<tables_of_matrix, Analysis::for_timeline>};

const TopTable wait_table = {
    {"waits", "", "", "",
     R"(Print instead how long ranks waited in MPI because another one was late: by kind, by call site, by rank and cause,
     by host if there are several, and the longest waits. The share in % is that of the time from MPI_Init to
     MPI_Finalize, of the rank or host that waits or of all ranks. What is certain holds however wrong clocks may be.
     ovnidump --wait N follows wait number N to its calls. The last table has who caused the waits: directly (short-term),
     or by delaying a rank that was late then (long-term).)"},
    make_traffic<tables_of_waits, Analysis::whole>,
    nullptr,
    nullptr,
    true};

const TopTable efficiency_table = {
    {"pop", "", "", "",
     R"(Print instead the parallel efficiency of the run and of its regions, its factors (load balance, serialisation,
     transfer), and what the critical path consists of. In place of DIR, reports of ovniemu --report are compared in
     columns below the names of their files; computation scales against the first.)"},
    make_traffic<tables_of_efficiencies, Analysis::whole>,
    report_tables,
    nullptr,
    true};

}  // namespace ovni
