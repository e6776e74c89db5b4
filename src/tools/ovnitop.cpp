// ovnitop: counts the events of a trace by code, the calls of MPI, or the waits for locks.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/table_memory.hpp"
#include "base/topics.hpp"
#include "cut/trace_part.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/analysis.hpp"
#include "messages/costs/delay_lines.hpp"
#include "messages/stuck/first_death.hpp"
#include "messages/stuck/open_trace.hpp"
#include "messages/stuck/open_waits.hpp"
#include "messages/waits/wait_lines.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"
#include "tools/code_table.hpp"
#include "tools/counter_profile.hpp"
#include "tools/line_template.hpp"
#include "tools/lock_profile.hpp"
#include "tools/message_table.hpp"
#include "tools/mpi_profile.hpp"
#include "tools/pop_table.hpp"
#include "tools/region_profile.hpp"
#include "tools/text_output.hpp"
#include "trace/gaps.hpp"
#include "trace/region_names.hpp"
#include "trace/trace.hpp"

namespace ovni {

namespace {

// The order of events does not matter here, so every stream is read on its own; a damaged one counts up to
// its damage.
class Counts {
 public:
    explicit Counts(const Trace& trace) : trace_(trace) {
        for (const Stream& stream : trace.streams()) bytes_ += stream.bytes - OVNI_FORMAT_STREAM_HEADER;
    }

    // The number of damaged streams.
    int count_all() {
        int damaged = 0;
        for (uint32_t i = 0; i < trace_.streams().size(); ++i) {
            try {
                count(i);
            } catch (const Error& e) {
                log::error("{}", e.what());
                ++damaged;
            }
        }
        progress_.finish(events_, bytes_ == 0 ? 1 : static_cast<double>(read_) / static_cast<double>(bytes_));
        return damaged;
    }

    void print() const {
        std::vector<std::pair<EventCode, uint64_t>> rows;
        count_.for_each([&](EventCode code, uint64_t count) { rows.emplace_back(code, count); });
        std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : printable(a.first) < printable(b.first);
        });
        TextOutput out;
        for (const auto& [code, count] : rows)
            fmt::format_to(std::back_inserter(out.text()), "{} {:10}\n", printable(code), count);
        out.flush();
    }

 private:
    void count(uint32_t stream) {
        StreamReader reader = trace_.reader(stream, 0, ClockOrder::any);
        uint64_t read_before = read_;
        auto update = [&] {
            read_ = read_before + reader.consumed();
            progress_.update(events_, static_cast<double>(read_) / static_cast<double>(bytes_));
        };
        try {
            for (bool more = reader.next(); more; update())
                more = reader.is_plain() ? count_some(reader) : count_one(reader);
        } catch (const Error&) {
            update();
            throw;
        }
    }

    bool count_some(StreamReader& reader) {
        constexpr size_t most = 4096;
        return reader.take(INT64_MAX, most, UINT64_MAX, [&](int64_t, uint64_t, const uint8_t* event) {
            ++count_[EventCode::from_bytes(event + OVNI_FORMAT_CODE_AT)];
            ++events_;
        });
    }

    bool count_one(StreamReader& reader) {
        if (reader.event().kind == EventView::Kind::event) {
            ++count_[reader.event().code];
            ++events_;
        }
        return reader.next();
    }

    const Trace& trace_;
    CodeTable<uint64_t> count_;
    uint64_t events_ = 0, read_ = 0, bytes_ = 0;
    Progress progress_;
};

// Events that were not recorded are in no table.
void tell_lost_events(const Trace& trace) {
    uint64_t lost = 0;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        try {
            for (const Gap& gap : read_gaps(trace.files_of(s))) lost += gap.lost;
        } catch (const Error&) {  // told when the stream is read
        }
    }
    if (lost > 0) log::warn("events that were lost, and are in no table: {}", lost);
}

// Throws Error if nothing is there.
Trace open(const TracePart& part, Metadata metadata = Metadata::interpreted) {
    Trace trace = part.open(metadata);
    refuse_no_trace(trace);
    tell_left_events(trace);
    tell_lost_events(trace);
    return trace;
}

// The status: 1 if there are damaged streams.
template <class Profile>
int print_profile(const Trace& trace, Profile profile,
                  void (Profile::*print)(TextOutput&) const = &Profile::print) {
    int status = 0;
    for (uint32_t i = 0; i < trace.streams().size(); ++i) {
        try {
            profile.add(trace.streams()[i], trace.reader(i, 0, ClockOrder::any));
        } catch (const Error& e) {
            log::error("{}", e.what());
            status = 1;
        }
    }
    TextOutput out;
    (profile.*print)(out);
    const bool has_rows = std::ranges::count(out.text(), '\n') > 1;
    out.flush();
    if (!has_rows) log::info("{}", Profile::nothing);
    return status;
}

// Calls can be counted even if they are of two runs.
void tell_missing_ranks_of(const Trace& trace) {
    std::optional<System> system;
    try {
        const log::Silence of_its_objects;
        system.emplace(trace);
    } catch (const Error& e) {
        return log::warn("{}", e.what());
    }
    tell_missing_ranks(*system);
}

int print_calls(const Trace& trace) {
    tell_missing_ranks_of(trace);
    const CallSites none;
    return print_profile(trace, MpiProfile(none));
}

int print_call_sites(const Trace& trace) {
    tell_missing_ranks_of(trace);
    const CallSites sites(trace, resolve(code_places(trace)));
    return print_profile(trace, MpiProfile(sites), &MpiProfile::print_sites);
}

template <class Profile>
int print_sums(const Trace& trace) {
    return print_profile(trace, Profile());
}

// The first one that is asked for is printed.
struct ProfileRow {
    const char* option;
    int (*print)(const Trace& trace);  // returns the status
};
constexpr ProfileRow profiles[] = {
    {"callsites", print_call_sites},          {"mpi", print_calls},
    {"counters", print_sums<CounterProfile>}, {"locks", print_sums<LockProfile>},
    {"regions", print_sums<RegionProfile>},
};

// The status.
int print_waiting(const TracePart& part) {
    const Trace trace = open(part);
    const System system(trace);
    tell_missing_ranks(system);
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

struct AnalysedTrace {
    TrafficAnalysis traffic;
    const Trace& trace;
    const System& system;
    int64_t origin;  // of time
};

void print_messages_of(AnalysedTrace& of, TextOutput& out) {
    if (of.traffic.summary.is_empty()) return log::info("no messages: no process has recorded some");
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
    print_lines(efficiency_lines(efficiencies.front(), of.system), out);
    print_lines(critical_path_lines(of.traffic.critical_path, of.system), out);
}

struct TrafficRow {
    const char* option;
    void (*print)(AnalysedTrace& of, TextOutput& out);
    Analysis needs;
};
constexpr TrafficRow pop_table = {"pop", print_efficiencies_of, Analysis::whole};
constexpr TrafficRow traffic_tables[] = {{"messages", print_messages_of, Analysis::for_timeline},
                                         {"matrix", print_matrix_of, Analysis::for_timeline},
                                         {"waits", print_waits_of, Analysis::whole}};

// The status.
int print_traffic(const TracePart& part, const TrafficRow& table) {
    const Trace trace = open(part);
    const System system(trace);
    tell_missing_ranks(system);
    const ClockModel clocks = ClockModel::of_sources(trace, part.clock_sources());
    const Ranks alone;
    limit_table_memory(fair_memory_limit(1), std::filesystem::temp_directory_path());
    TextOutput out;
    const auto open = [&](uint32_t s) { return open_stream(trace, clocks, s); };
    const ScannedPart all = ScannedPart::all_processes(system, usable_cores());
    Scanned scanned = scan(trace, system, all, {.messages = true}, open);
    AnalysedTrace analysed{
        analyse_traffic(alone, trace, system, clocks, all.processes, scanned, all.threads, table.needs),
        trace, system, time_origin(trace, clocks)};
    for (const std::string& damage : scanned.damages) log::error("{}", damage);
    table.print(analysed, out);
    out.flush();
    return scanned.damages.empty() ? 0 : 1;
}

// The status.
int print_table_of_reports(const Cli& cli) {
    if (cli.words.empty()) throw UsageError("no trace directory and no report (see --help)");
    if (!read_focus(cli).is_whole())
        throw UsageError("a part of a report: choose it where the report is made (see --help)");
    TextOutput out;
    print_reports(cli.words, out);
    out.flush();
    return 0;
}

bool names_reports(const Cli& cli) {
    return cli.has("pop") && !(cli.words.size() == 1 && std::filesystem::is_directory(cli.words.front()));
}

constexpr OptionRow rows[] = {
    {"mpi", "", "", "",
     R"(Count calls of MPI instead: the functions of all ranks and of each rank, with calls, time in them, bytes sent
     or written, and bytes received or read.)"},
    {"callsites", "", "", "",
     R"(With --mpi: a row for each place of the program that calls a function, with its function and line. Without debug
     information (-g) it is an address, or only the function is known.)"},
    {"counters", "", "", "",
     R"(Print instead what was counted (ovnirun --counters): of all ranks and of each rank, by function of MPI, region,
     construct of OpenMP, wait and thread, the time, instructions per cycle, frequency, and the sums of all counters.)"},
    {"locks", "", "", "",
     R"(Sum waits in POSIX threads instead: by object, for all processes and each, with the number of waits, their time,
     the longest, and the threads that had the object when a wait began.)"},
    {"regions", "", "", "",
     R"(Sum regions of MPI_Pcontrol instead: of all ranks and of each rank, with the number of visits, the time in them
     and the time without the regions inside. Last come the ranks that were there, and the least, mean and longest of
     their times.)"},
    {"messages", "", "", "",
     R"(Match the messages of MPI instead, and print how many there are, their sizes, who sends how much to whom, and
     why some have no partner.)"},
    {"matrix", "", "", "", "The same as a matrix: bytes by sender and receiver."},
    {"waits", "", "", "",
     R"(Print instead how long ranks waited in MPI because another one was late: late senders and receivers,
     collectives, MPI_Init and MPI_Finalize, by kind, by rank and cause, and the longest, which ovnidump --wait N follows to their calls. What is certain holds however wrong clocks may be. Last come
     the delays that waits are due to: of the ranks that come late, and, long-term, of those that these had waited for.)"},
    {"pop", "", "", "",
     R"(Print instead the parallel efficiency of the run, what it is made of (load balance, serialisation, transfer),
     and what the critical path consists of. DIR may also be reports of ovniemu --report: then all of them stand beside each other, and computation
     scales against the first.)"},
    {"waiting", "", "", "",
     R"(Print instead which calls of MPI, and waits for locks, are open at the end, of a program that was killed or is
     running still: for whom they wait, since when, and deadlocks.)"},
};

Cli top_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnitop",
        .summary = "count the events of a trace",
        .usage = "ovnitop [OPTIONS] DIR",
        .words = "DIR",
        .description =
            R"(Counts the events of the trace in DIR by code, the most frequent first. A damaged stream counts
up to its damage, and the status is 1.

--from, --to, --region, --without and --ranks choose a part, as if ovnicut had written it: see --help cut. A TIME counts
from the first event, as in the outputs of ovniemu: 1.5s 300ms 20us 123456ns.)",
        .options = {std::begin(rows), std::end(rows)},
        .lists = "",
        .topics = {&topics::cut},
    };
    cli.manual.options.insert(cli.manual.options.end(), focus_rows().begin(), focus_rows().end());
    return cli;
}

// Each of these prints a table of its own.
void expect_one_table(const Cli& cli) {
    const char* first = nullptr;
    for (const char* option :
         {"mpi", "counters", "locks", "regions", "messages", "matrix", "waits", "pop", "waiting"}) {
        if (!cli.has(option)) continue;
        if (first) throw UsageError(fmt::format("--{} and --{}: choose one (see --help)", first, option));
        first = option;
    }
}

TracePart read_part(const Cli& cli) {
    const std::string directory = only_word(cli, "trace directory");
    const CutOptions options{read_focus(cli)};
    advise_keep_going(directory, "ovniemu ");
    expect_begun(directory);
    make_file_limit_an_error();
    TracePart part(directory, options, std::filesystem::temp_directory_path() / "ovnitop.part");
    if (part.cut()) log::info("{}", sentence_of(*part.cut(), directory));
    return part;
}

int run(int argc, char** argv) {
    Cli cli = top_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    expect_one_table(cli);
    if (cli.has("callsites") && !cli.has("mpi")) throw UsageError("--callsites needs --mpi (see --help)");
    if (names_reports(cli)) return print_table_of_reports(cli);
    const TracePart part = read_part(cli);
    if (cli.has("waiting")) return print_waiting(part);
    if (cli.has("pop")) return print_traffic(part, pop_table);
    for (const TrafficRow& table : traffic_tables)
        if (cli.has(table.option)) return print_traffic(part, table);
    for (const auto& [option, print] : profiles)
        if (cli.has(option)) return print(open(part));
    const Trace trace = open(part, Metadata::version_only);
    Counts counts(trace);
    int damaged = counts.count_all();
    counts.print();
    return damaged == 0 ? 0 : 1;
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnitop", [&] { return ovni::run(argc, argv); });
}
