#include "run/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/manual.hpp"
#include "base/nearest.hpp"
#include "base/topics.hpp"
#include "base/typed_options.hpp"
#include "base/version.hpp"
#include "core/function_choice.hpp"
#include "core/parse_number.hpp"
#include "mpi_function_choices.hpp"
#include "ring/settings.hpp"
#include "run/control_options.hpp"
#include "run/counter_options.hpp"
#include "run/misspellings.hpp"

namespace ovni::run {

namespace {

void check_functions(std::string_view name, std::string_view list) {
    std::string_view wrong =
        choose_functions(list, std::span(mpi_function_choices), [](size_t /*function*/, bool /*in*/) {});
    if (!wrong.empty())
        throw UsageError(fmt::format("{}: '{}' is no function, family or tier{}, see --help", name, wrong,
                                     proposal_of_function(wrong)));
}

// `name`: of the option, or of its variable where that has the value; this holds for all checks.
template <size_t least = 1, size_t most = SIZE_MAX>
void check_size(std::string_view name, std::string_view value) {
    const size_t size = writer::parse_size(std::string(value).c_str()).value_or(0);
    if (size == 0)
        throw UsageError(
            fmt::format("{} is a number of bytes above 0, as 512k or 16M, not '{}'", name, value));
    if (size < least || size > most)
        throw UsageError(fmt::format("{} is {}k to {}M, not '{}'", name, least >> 10, most >> 20, value));
}

void check_seconds(std::string_view name, std::string_view value) {
    bool is_decimal = value.find_first_not_of("0123456789.") == value.npos;
    const double seconds = parse_number<double>(value).value_or(0);
    constexpr double longest = 1'000'000;  // for the library, too
    if (!is_decimal || !(seconds > 0) || seconds > longest)
        throw UsageError(fmt::format(
            "{} is a number of seconds above 0, as 2 or 0.5, and 1000000 at most, not '{}'", name, value));
}

void check_call_sites(std::string_view name, std::string_view value) {
    constexpr int most_levels = 16;
    const int levels = parse_number<int>(value).value_or(-1);
    if (levels < 0 || levels > most_levels)
        throw UsageError(
            fmt::format("{} is a number of callers from 0 to {}, not '{}'", name, most_levels, value));
}

void check_loom(std::string_view name, std::string_view value) {
    if (value.find('/') != value.npos)
        throw UsageError(fmt::format("{}: a loom has no '/' in its name: '{}'", name, value));
}

void check_run_directory(std::string_view name, std::string_view value) {
    if (!value.starts_with('/'))
        throw UsageError(fmt::format("{} is an absolute path, not '{}'", name, value));
    std::error_code none;
    if (!std::filesystem::is_directory(value, none))
        throw UsageError(
            fmt::format("{}: no run directory can be made in '{}': it is no directory", name, value));
}

void check_trace_directory(std::string_view name, std::string_view value) {
    std::error_code none;
    if (std::filesystem::exists(value, none) && !std::filesystem::is_directory(value, none))
        throw UsageError(fmt::format("{}: no trace can be written to '{}': it is no directory", name, value));
}

// Sets an environment variable for the libraries in the program.
struct Setting {
    OptionRow row;
    // Throws UsageError. Null: any value, or any choice of the row.
    void (*check)(std::string_view name, std::string_view value) = nullptr;
};

constexpr Setting known[] = {
    {{"trace-dir", "o", "DIR", "OVNI_TRACEDIR",
      "Directory of the trace; %h in it is the host, %r the rank. Default: ovni."},
     check_trace_directory},
    {{"append", "", "", "OVNI_APPEND",
      R"(Keep the streams of an earlier run in that directory. Give both runs one OVNI_RUN, or the emulator refuses the
     trace.)"}},
    {{"loom", "", "host|rank|NAME", "OVNI_LOOM",
      "Content of one loom: a host (default), a rank, or the processes of one host that share NAME."},
     check_loom},
    {{"cpu", "", "sample|virtual", "OVNI_CPU",
      "Record the CPU of threads that may move, as seen at MPI calls (default), or never."}},
    {{"threads", "", "program|all|mpi", "OVNI_THREADS",
      R"(Threads that have a row: all that the program makes (default), also those of the MPI library and of the tracer
     (all), or only threads that call MPI or emit events (mpi). Threads without events that live one
     after the other, under one name, share a row.)"}},
    {{"mpi-functions", "", "LIST", "OVNI_MPI_FUNCTIONS",
      R"(MPI functions to record: words with commas between them; words with - in front are left out. The words of
     LIST are explained below.)"},
     check_functions},
    {{"mpi-events", "", "full|reference", "OVNI_MPI_EVENTS",
      R"(Record all of these functions (default), or only what the emulator of ovni 1.14 reads: its 49 functions,
     without CPUs of threads that move, and with waits and OpenMP only if requested.)"}},
    {{"callsites", "", "0|1|N", "OVNI_CALLSITES",
      R"(Record which line of the program calls MPI (1, default), or not (0). N from 2 to 16: also N-1 callers of it.
     Callers that are not inlined need -fno-omit-frame-pointer.)"},
     check_call_sites},
    {{"counters", "", "LIST", "OVNI_COUNTERS",
      R"(Count what threads use in calls of MPI, regions, OpenMP and waits, for example ipc,page-faults,rss: names of perf,
     separated by commas. Default: nothing. `list` prints the names, and whether this machine has them. See --help
     counters.)"},
     check_counters},
    {{"pthread", "", "off|contended|all", "OVNI_PTHREAD",
      R"(Waits in POSIX threads to record, with their object and its holder: none, only real waits
     (contended, default), or also every lock, unlock, signal, post and start of a thread (all).)"}},
    {{"openmp", "", "auto|off|libomp", "OVNI_OPENMP",
      R"(Record OpenMP where the program uses it (auto, default), or not (off). With libomp, the runtime of LLVM takes the
     place of GCC's, which reports less. See --help settings.)"}},
    {{"stream", "", "plain|packed", "OVNI_STREAM",
      R"(Form of the streams: packed (default), mostly a tenth as large, or plain, which the tools of ovni 1 read (default
     with --mpi-events reference). `ovnicut --plain` makes plain ones of packed ones.)"}},
    {{"flush-age", "", "SECONDS", "OVNI_FLUSH_AGE",
      R"(Seconds that events of packed streams wait in memory, at most, until they are written together. Default: 10. The
     end of the program or of ovnirun loses none of them; a crash of the machine does.)"},
     check_seconds},
    {{"run-dir", "", "DIR", "OVNI_RUNDIR",
      "Directory where events wait in memory until they are written. Default: /dev/shm."},
     check_run_directory},
    {{"buffer", "", "SIZE", "OVNI_BUFFER", "Memory for the events of a thread, 256k to 16M. Default: 2M."},
     check_size<writer::Settings::smallest_ring, writer::Settings::largest_ring>},
    {{"buffer-mode", "", "rings|shared", "OVNI_BUFFER_MODE",
      R"(Each thread emits into its own buffer (default), or all threads of a process emit into one buffer, which is
     four times as large, and the drainer sorts the events by thread.)"}},
    {{"buffer-total", "", "SIZE", "OVNI_BUFFER_TOTAL",
      R"(Memory for all threads of a process, beyond 256k for each. Default: half of the free memory there, and at
     most 1/16 of the machine's memory.)"},
     check_size<>},
    {{"on-full", "", "block|discard", "OVNI_ON_FULL",
      R"(Behaviour when the memory is full: the thread waits (default), or its events
     are dropped, counted and marked as a gap.)"}},
    {{"flight", "", "SIZE", "OVNI_FLIGHT",
      R"(Keep so much of the newest events of a thread in memory, 64k to 16G. They are written at its end, after a
     crash, or on request: MPI_Pcontrol(2), ovni_flush(), ovnictl flush, ovnirecover -w. Default: all events are
     written.)"},
     check_size<writer::Settings::smallest_flight, writer::Settings::largest_flight>},
    {{"limit", "", "SIZE", "OVNI_LIMIT",
      "Bytes that a process may write to disk; the rest is a gap. Default: no limit."},
     check_size<>},
    {{"sync", "", "off|init|both", "OVNI_SYNC",
      R"(Measure the clocks of several nodes in MPI_Init and MPI_Finalize (both, default), in MPI_Init, or
     nowhere.)"}},
    {{"sync-timeout", "", "SECONDS", "OVNI_SYNC_TIMEOUT",
      "Seconds that the other nodes wait for a slow node while clocks are measured. Default: 2."},
     check_seconds},
    {{"all-traced", "", "", "OVNI_ALL_TRACED",
      R"(Promise that all ranks of the job run below ovnirun, for launchers without PMIx and nodes without a common
     trace directory. If PMIx, or a job on one node, shows that a rank is not traced, one line names it, and the others
     record without it.)"}},
    {{"control", "", "CHAIN", "OVNI_CONTROL",
      R"(Record only in regions that begin and end as CHAIN says, for example
     start:mpi:Barrier:count3,stop:timeout:10. May be given several times. See --help control.)"},
     check_chains},
    {{"control-scope", "", "thread|process|job", "OVNI_CONTROL_SCOPE",
      R"(Recording that an event starts or stops: that of its thread, of all threads of the process (default), or
     of all ranks, which agree on it at collectives.)"}},
    {{"control-ranks", "", "RANKS", "OVNI_CONTROL_RANKS",
      "Ranks that the chains are for, as 0,3-5; the others record all. Default: all."},
     check_ranks},
    {{"control-accuracy", "", "block|exact", "OVNI_CONTROL_ACCURACY",
      R"(Alarms that count instructions fire at the begin of the block that has the last one (block, default), or
     right behind it (exact).)"}},
    {{"control-counter", "", "cache|processor|time", "OVNI_CONTROL_COUNTER",
      R"(How alarms count instructions. cache: in translated code (default); processor: by the processor's counter, at
     full speed, with instructions of the tracer; time: nanoseconds of the thread stand for instructions.)"}},
    {{"control-icount-images", "", "FILES", "OVNI_CONTROL_ICOUNT_IMAGES",
      R"(Count only instructions of these files, for example exe,libsolver.so: exe is the program. Default: all
     but the tracer.)"}},
    {{"control-log", "", "FILE", "OVNI_CONTROL_LOG",
      "Write a line for each event to FILE; %r and %p in the name are rank and pid."}},
    {{"list-functions", "", "PATTERN", "OVNI_LIST_FUNCTIONS",
      R"(Print the functions that alarms can name, and do not run the program: those whose name holds PATTERN, or
     matches it if it has a * or ?. Each line: bare name, whole name, file.)"}},
    {{"control-default-start", "", "0|1", "OVNI_CONTROL_DEFAULT_START",
      "Recording begins by itself if no chain starts it (1, default), or not (0)."}},
};

constexpr OptionRow own[] = {
    {"control-prefix", "", "PREFIX", "",
     R"(The words of the controller behind it may have that prefix: with sim: the word -sim:skip is -skip. See --help
     control.)"},
    {"detach", "", "", "", "Record from a process that signals to the job do not reach."},
    {"anyway", "", "", "",
     R"(Run the program even if the trace directory cannot be written. Default: the program is not run then.)"},
};

std::vector<OptionRow> option_rows() {
    std::vector<OptionRow> rows;
    append_rows(rows, known);
    rows.insert(rows.end(), std::begin(own), std::end(own));
    return rows;
}

std::vector<std::string> option_names() {
    std::vector<std::string> names{"--help", "--version"};
    for (const OptionRow& row : option_rows()) names.push_back(fmt::format("--{}", row.name));
    return names;
}

const Setting* find(std::string_view word) {
    auto is_meant = [&](const Setting& setting) {
        const OptionRow& row = setting.row;
        return word.starts_with("--") ? row.name == word.substr(2)
                                      : !row.letter.empty() && row.letter == word.substr(1);
    };
    auto found = std::find_if(std::begin(known), std::end(known), is_meant);
    return found == std::end(known) ? nullptr : found;
}

std::string about_functions() {
    std::string text =
        R"(LIST of MPI functions: all, none, default, a tier, a family, or a function, with or without
MPI_, read from left to right. A list that begins by leaving out begins with the default, which is tier1 and tier2:

    --mpi-functions default,-collective,MPI_Wtime

tier3 has functions that are trivial or called very often. Families:)";
    for (std::string_view family : mpi_function_families) text += fmt::format(" {}", family);
    return text + "\n";
}

void check(std::string_view name, const Setting& setting, std::string_view value) {
    const std::string_view wanted = setting.row.value;
    if (value.empty()) throw UsageError(fmt::format("{} needs a value, {}", name, wanted));
    if (is_choice(wanted) && !std::ranges::count(alternatives(wanted), value))
        throw UsageError(fmt::format("{} is {}, not '{}'", name, wanted, value));
    if (setting.check) setting.check(name, value);
}

// The settings that the user has made for all runs are checked as well, if no option replaces them.
void check_environment(const Options& options) {
    for (const Setting& setting : known) {
        std::string variable(setting.row.variable);
        const char* value = std::getenv(variable.c_str());
        bool is_replaced =
            std::ranges::any_of(options.environment, [&](const auto& set) { return set.first == variable; });
        if (value && *value && !setting.row.value.empty() && !is_replaced) check(variable, setting, value);
    }
}

// Takes the option at *argv, and its value, which may be the next word; returns where to go on.
char** take(Options& options, char** argv) {
    const std::string spelled = with_two_dashes(*argv);
    std::string_view word = spelled;
    std::optional<std::string_view> value;
    size_t equals = word.find('=');
    if (word.starts_with("--") && equals != word.npos) {
        value = word.substr(equals + 1);
        word = word.substr(0, equals);
    }
    const Setting* setting = find(word);
    if (!setting)
        throw UsageError(
            fmt::format("unknown option {}{}, see --help", word, proposal(word, option_names())));
    const std::string name = fmt::format("--{}", setting->row.name);
    if (setting->row.value.empty()) {
        if (value) throw UsageError(fmt::format("{} takes no value", word));
        value = "1";
    } else if (!value) {
        if (argv[1]) value = *++argv;
        check(name, *setting, value.value_or(""));
    } else {
        check(name, *setting, *value);
    }
    options.environment.emplace_back(setting->row.variable, *value);
    return argv + 1;
}

Manual manual() {
    return {
        .program = "ovnirun",
        .summary = "run a program and trace it",
        .usage = "ovnirun [OPTIONS] [--] PROGRAM [ARGUMENTS...]",
        .words = "PROGRAM",
        .description = R"(Runs the program with the tracing libraries in it:

    mpirun -n 4 ovnirun ./app

A program that is linked statically runs unchanged, and nothing of it is recorded. Names in brackets are environment
variables with the meaning of the option.)",
        .options = option_rows(),
        .lists = about_functions(),
        .topics = {&topics::control, &topics::counters, &topics::settings, &topics::emit, &topics::trouble},
    };
}

// The answer to a question about ovnirun itself; empty if *words is another option.
std::string answer_to(char** words) {
    constexpr std::string_view with_topic = "--help=";
    const std::string_view word = words[0];
    if (word == "--version") return version_text("ovnirun");
    if (word == "--manual") return manual_as_json(manual());
    if (asks_for_counters(words)) return counters_of_this_machine();
    if (word.starts_with(with_topic))
        return topic_text(manual(), word.substr(with_topic.size()), terminal_width());
    if (word != "-h" && word != "--help") return "";
    if (words[1] && !begins_with_dash(words[1])) return topic_text(manual(), words[1], terminal_width());
    return help_text(manual(), terminal_width());
}

}  // namespace

std::vector<std::string> option_variables() {
    std::vector<std::string> names;
    for (const Setting& setting : known) names.emplace_back(setting.row.variable);
    return names;
}

Options parse_options(char** argv) {
    Options options;
    ControlOptions control;
    ControlPrefix prefix;
    ++argv;
    while (*argv && begins_with_dash(*argv)) {
        prefix.remove_from(*argv);
        std::string_view word = *argv;
        if (word == "--") {
            ++argv;
            break;
        }
        options.answer = answer_to(argv);
        if (!options.answer.empty()) return options;
        if (word == "--detach" || word == "--anyway") {
            (word == "--detach" ? options.detach : options.anyway) = true;
            ++argv;
            continue;
        }
        size_t taken = prefix.take(argv);
        if (taken == 0) taken = control.take(argv);
        argv = taken > 0 ? argv + taken : take(options, argv);
    }
    for (auto& set : control.environment()) options.environment.push_back(std::move(set));
    if (!*argv) throw UsageError("no program to run, see --help");
    check_environment(options);
    options.program = argv;
    return options;
}

}  // namespace ovni::run
