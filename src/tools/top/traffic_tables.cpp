// Tables of what crosses processes: --messages, --matrix, --waits, --pop.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/table_memory.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/analysis.hpp"
#include "messages/costs/delay_lines.hpp"
#include "messages/hybrid/hybrid_lines.hpp"
#include "messages/short/in_short.hpp"
#include "messages/waits/wait_lines.hpp"
#include "session/thread_uses_of_trace.hpp"
#include "tools/text_output.hpp"
#include "tools/top/message_table.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/pop_table.hpp"
#include "tools/top/tables.hpp"
#include "trace/region_names.hpp"

namespace ovni {

namespace {

struct AnalysedTrace {
    TrafficAnalysis traffic;
    const Trace& trace;
    const System& system;
    const ClockModel& clocks;
    int64_t origin;  // of time
};

void print_messages_of(AnalysedTrace& of, TextOutput& out) {
    if (of.traffic.summary.is_empty()) return log::info("no messages: no process has recorded any");
    print_messages(of.traffic.summary, of.system, out);
}
void print_matrix_of(AnalysedTrace& of, TextOutput& out) {
    if (of.traffic.summary.matched == 0) return log::info("no messages: ovnitop --messages says why");
    print_matrix(of.traffic.summary, of.system, out);
}
void print_lines(const std::vector<std::string>& lines, TextOutput& out) {
    for (const std::string& line : lines) fmt::format_to(std::back_inserter(out.text()), "{}\n", line);
}
void print_waits_of(AnalysedTrace& of, TextOutput& out) {
    if (of.traffic.wait_summary.sums.empty())
        return log::info("no waits: no rank was late, or messages are not matched (ovnitop --messages)");
    print_lines(wait_lines(of.traffic.wait_summary, of.system, of.origin), out);
    if (of.traffic.delays.empty()) return;
    print_lines({""}, out);
    print_lines(delay_lines(of.traffic.delays, of.system, names_of_regions(of.trace)), out);
}
void print_efficiencies_of(AnalysedTrace& of, TextOutput& out) {
    const std::vector<Efficiency> efficiencies = of.traffic.efficiencies.get().all;
    if (efficiencies.empty()) return log::info("no efficiencies: no process has recorded MPI_Init");
    const auto ended_early = [](const Stream& stream) {
        const auto& end = stream.metadata.end;
        return end && end->by != "loss" && end->by != "exec";
    };
    if (std::ranges::any_of(of.trace.streams(), ended_early))
        log::warn("the program did not end in order, or is running still: see --waiting, too");
    const std::map<int64_t, std::string> regions = names_of_regions(of.trace);
    const ThreadUsesOfTrace threads = thread_uses_of(of.trace, of.system, of.clocks, of.origin, &of.traffic);
    const std::vector<HybridEfficiency> hybrid = hybrid_efficiencies(threads.uses.processes, efficiencies);
    print_lines(in_short({of.trace,
                          of.system,
                          regions,
                          efficiencies,
                          of.traffic.delays,
                          of.traffic.summary,
                          {hybrid, threads.uses, threads.parallel_regions}}),
                out);
    print_lines({""}, out);
    print_lines(efficiency_lines(efficiencies.front(), of.system), out);
    print_lines(critical_path_lines(of.traffic.critical_path, of.system), out);
    if (efficiencies.size() > 1) {
        print_lines({""}, out);
        print_lines(efficiency_lines_of_regions(efficiencies, regions), out);
    }
    if (hybrid.empty()) return;
    print_lines({""}, out);
    print_lines(hybrid_lines(hybrid, threads.uses, of.system, regions), out);
}

// The status.
template <void (*print)(AnalysedTrace& of, TextOutput& out), Analysis needs>
int print_traffic(const TracePart& part) {
    const Trace trace = open_for_table(part);
    if (part.cut()) log::warn("messages across the borders of a part are missing");
    const System system(trace);
    warn_about_missing_ranks(system);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    limit_table_memory(fair_memory_limit(1), std::filesystem::temp_directory_path());
    const ScannedPart all = ScannedPart::all_processes(system, usable_cores());
    Scanned scanned = scan(trace, system, all, {.messages = true},
                           [&](uint32_t s) { return open_stream(trace, clocks, s); });
    const int64_t origin = time_origin(trace, clocks);
    AnalysedTrace analysed{
        analyse_traffic(Ranks(), trace, system, clocks, all.processes, scanned, all.threads, needs), trace,
        system, clocks, origin};
    for (const std::string& damage : scanned.damages) log::error("{}", damage);
    TextOutput out;
    print(analysed, out);
    out.flush();
    return scanned.damages.empty() ? 0 : 1;
}

int print_table_of_reports(const std::vector<std::string>& words) {
    TextOutput out;
    print_reports(words, out);
    out.flush();
    return 0;
}

}  // namespace

const TopTable message_table = {
    {"messages", "", "", "",
     R"(Match the messages of MPI instead, and print how many there are, their sizes, who sends how much to whom, and
     why some have no partner.)"},
    print_traffic<print_messages_of, Analysis::for_timeline>};

const TopTable matrix_table = {{"matrix", "", "", "", "Messages as a matrix: bytes by sender and receiver."},
                               print_traffic<print_matrix_of, Analysis::for_timeline>};

const TopTable wait_table = {
    {"waits", "", "", "",
     R"(Print instead how long ranks waited in MPI because another one was late: by kind, by rank and cause, and the
     longest waits. What is certain holds however wrong
     clocks may be. ovnidump --wait N follows wait number N to its calls. The last table has who caused the waits: directly
     (short-term), or by delaying a rank that was late then (long-term).)"},
    print_traffic<print_waits_of, Analysis::whole>,
    nullptr,
    nullptr,
    true};

const TopTable efficiency_table = {
    {"pop", "", "", "",
     R"(Print instead the parallel efficiency of the run and of its regions, its factors (load balance, serialisation,
     transfer), and what the critical path consists of. In place of DIR, reports of ovniemu --report are compared in
     columns; computation scales against the first.)"},
    print_traffic<print_efficiencies_of, Analysis::whole>,
    print_table_of_reports,
    nullptr,
    true};

}  // namespace ovni
