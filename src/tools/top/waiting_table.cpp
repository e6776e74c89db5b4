// --waiting: what is open at the end of a trace.
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/scan/scan.hpp"
#include "messages/stuck/first_death.hpp"
#include "messages/stuck/open_trace.hpp"
#include "messages/stuck/open_waits.hpp"
#include "messages/stuck/waiting.hpp"
#include "mpi_function_rows.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/rank_cells.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

// The number of the first circle that each of `count` waits is in, from 1; 0: in none.
std::vector<size_t> circle_of_each(const std::vector<std::vector<uint32_t>>& circles, size_t count) {
    std::vector<size_t> numbers(count);
    for (size_t i = circles.size(); i-- > 0;)
        for (const uint32_t wait : circles[i]) numbers[wait] = i + 1;
    return numbers;
}

Cell deadlock_cell(size_t circle) {
    return circle == 0 ? Cell() : circle;
}

DataTable table_of_calls(const Waiting& waiting, const System& system) {
    DataTable table{"calls",
                    {data_column("rank"), data_column("function"), data_column("waits_for"),
                     data_column("open_ns"), data_column("deadlock")}};
    const RankNames names(system);
    const std::vector<size_t> circles = circle_of_each(waiting.circles, waiting.calls.size());
    for (size_t c = 0; c < waiting.calls.size(); ++c) {
        const WaitingCall& call = waiting.calls[c];
        table.rows.push_back({rank_cell(names, call.process), mpi_function_rows[call.function].name,
                              call.what.empty() ? Cell() : one_line(call.what),
                              time_between(call.since, call.until), deadlock_cell(circles[c])});
    }
    hide_text(table);
    return table;
}

DataTable table_of_thread_waits(const std::vector<OpenWait>& waits, const System& system) {
    DataTable table{"thread_waits",
                    {data_column("rank"), data_column("tid"), data_column("kind"), data_column("object"),
                     data_column("holder_tid"), data_column("open_ns"), data_column("deadlock")}};
    const RankNames names(system);
    const std::vector<size_t> circles = circle_of_each(circles_of(system, waits), waits.size());
    for (size_t w = 0; w < waits.size(); ++w) {
        const OpenWait& wait = waits[w];
        const ThreadInfo& thread = system.threads()[system.thread_of_stream(wait.stream)];
        table.rows.push_back({rank_cell(names, thread.process), thread.tid, wait.kind, one_line(wait.object),
                              wait.tid == 0 ? Cell() : wait.tid, time_between(wait.since, wait.until),
                              deadlock_cell(circles[w])});
    }
    hide_text(table);
    return table;
}

MadeTables find_waiting(const TracePart& part) {
    const Trace trace = open_for_table(part);
    const System system(trace);
    warn_about_missing_ranks(system);
    const OpenStream open = [&](uint32_t s) {
        return trace.reader(s, 0, ClockOrder::checked, Regions::as_they_are, Checksums::compared);
    };
    const Scanned scanned = scan(trace, system, ScannedPart::all_processes(system, usable_cores()),
                                 {.open_calls = true, .open_waits = true}, open);
    const std::vector<OpenProcess> processes = open_processes(scanned.open_calls, trace);
    const Waiting waiting =
        who_waits(system, {processes, communicators_at_end(scanned.open_calls, communicators_of(processes))});
    const std::vector<OpenWait>& waits = scanned.open_waits;
    for (const std::string& damage : scanned.damages) log::error("{}", damage);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    if (std::string death = first_death(trace, clocks, waiting); !death.empty()) log::warn("{}", death);
    DataTable calls = table_of_calls(waiting, system);
    calls.before = sentences(waiting, system, 0, SIZE_MAX);
    DataTable of_threads = table_of_thread_waits(waits, system);
    of_threads.before = sentences(waits, trace, system, waiting, OtherWaits::listed, 0, SIZE_MAX);
    if (waiting.calls.empty() && waits.empty() && scanned.damages.empty())
        calls.before = {"no call of MPI and no wait in POSIX threads is open at the end of the trace"};
    return {{std::move(calls), std::move(of_threads)}, scanned.damages.empty() ? 0 : 1};
}

}  // namespace

const TopTable waiting_table = {
    {"waiting", "", "", "",
     R"(Print instead which calls of MPI, and waits for locks, are open at the end, of a program that was killed or is
     running still: for whom they wait, since when, and deadlocks.)"},
    find_waiting,
    nullptr,
    nullptr,
    true};

}  // namespace ovni
