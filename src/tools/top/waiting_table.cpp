// --waiting: what is open at the end of a trace.
#include <iterator>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/scan/scan.hpp"
#include "messages/stuck/first_death.hpp"
#include "messages/stuck/open_trace.hpp"
#include "messages/stuck/open_waits.hpp"
#include "messages/stuck/waiting.hpp"
#include "tools/text_output.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

// The status.
int print_waiting(const TracePart& part) {
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
    TextOutput out;
    auto print = [&](const std::string& line) {
        fmt::format_to(std::back_inserter(out.text()), "{}\n", line);
    };
    const std::vector<OpenWait>& waits = scanned.open_waits;
    for (const std::string& damage : scanned.damages) log::error("{}", damage);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    if (std::string death = first_death(trace, clocks, waiting); !death.empty()) log::warn("{}", death);
    for (const std::string& line : sentences(waiting, system, 0, SIZE_MAX)) print(line);
    for (const std::string& line : sentences(waits, trace, system, waiting, OtherWaits::listed, 0, SIZE_MAX))
        print(line);
    if (waiting.calls.empty() && waits.empty() && scanned.damages.empty())
        print("no call of MPI and no wait in POSIX threads is open at the end of the trace");
    out.flush();
    return scanned.damages.empty() ? 0 : 1;
}

}  // namespace

const TopTable waiting_table = {
    {"waiting", "", "", "",
     R"(Print instead which calls of MPI, and waits for locks, are open at the end, of a program that was killed or is
     running still: for whom they wait, since when, and deadlocks.)"},
    print_waiting,
    nullptr,
    nullptr,
    true};

}  // namespace ovni
