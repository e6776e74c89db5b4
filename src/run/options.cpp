#include "run/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "core/function_choice.hpp"
#include "mpi_function_choices.hpp"
#include "ring/settings.hpp"
#include "run/control_options.hpp"

namespace ovni::run {

namespace {

struct Option {
    std::string_view name;
    std::string_view short_name;
    std::string_view variable;
    std::string_view value;    // what help calls the value; empty: the option takes none and sets 1
    std::string_view choices;  // separated by '|'; empty: anything
    std::string_view text;
};

constexpr Option known[] = {
    {"--trace-dir", "-o", "OVNI_TRACEDIR", "DIR", "", "where the trace goes (ovni)"},
    {"--append", "", "OVNI_APPEND", "", "",
     "keep the streams of an earlier run in that directory; the emulator takes both only where OVNI_RUN "
     "gives both one name"},
    {"--loom", "", "OVNI_LOOM", "host|rank|NAME", "",
     "what one loom holds: a host (default), a rank, or the processes of one host that share NAME"},
    {"--cpu", "", "OVNI_CPU", "sample|virtual", "sample|virtual",
     "tell the CPU of threads that may move, as seen at MPI calls (default), or never"},
    {"--mpi-functions", "", "OVNI_MPI_FUNCTIONS", "LIST", "",
     "MPI functions to record: words with commas between them, those with '-' in front left out; see below"},
    {"--mpi-events", "", "OVNI_MPI_EVENTS", "full|reference", "full|reference",
     "all of that, or only what the reference emulator reads: its 49 functions, and no CPUs of threads that "
     "move"},
    {"--run-dir", "", "OVNI_RUNDIR", "DIR", "",
     "where events wait in memory until they are written (/dev/shm)"},
    {"--buffer", "", "OVNI_BUFFER", "SIZE", "", "memory for the events of a thread, 256k to 16M (2M)"},
    {"--buffer-mode", "", "OVNI_BUFFER_MODE", "rings|shared", "rings|shared",
     "threads emit into buffers of their own (default), or all of a process into one four times as large, "
     "from where the drainer brings events into those"},
    {"--buffer-total", "", "OVNI_BUFFER_TOTAL", "SIZE", "",
     "for all threads of a process, beyond 256k for each (half of what is free there, at most 1/16 of the "
     "machine's memory)"},
    {"--on-full", "", "OVNI_ON_FULL", "block|discard", "block|discard",
     "when that is full: the thread waits (default), or its events are dropped, counted and marked as a gap"},
    {"--flight", "", "OVNI_FLIGHT", "SIZE", "",
     "keep that much of the newest events of a thread in memory, 64k to 16G; write them at its end, after a "
     "crash, or "
     "when asked: MPI_Pcontrol(2), ovni_flush(), ovnirecover -w (all are written)"},
    {"--limit", "", "OVNI_LIMIT", "SIZE", "",
     "what a process may write to disk; the rest is a gap (no limit)"},
    {"--sync", "", "OVNI_SYNC", "off|init|both", "off|init|both",
     "where the clocks of several nodes are measured: in MPI_Init and MPI_Finalize (default), only at first, "
     "or not"},
    {"--sync-timeout", "", "OVNI_SYNC_TIMEOUT", "SECONDS", "",
     "how long a node may keep the others waiting there (2)"},
    {"--control", "", "OVNI_CONTROL", "CHAIN", "",
     "record only in regions that begin and end where this says, e.g. "
     "start:mpi:Barrier:count3,stop:timeout:10; may be given several times; src/region/README.md has the "
     "grammar"},
    {"--control-scope", "", "OVNI_CONTROL_SCOPE", "thread|process|job", "thread|process|job",
     "whose recording an event starts or stops: that of its thread, of all threads (default), or of all "
     "ranks, which agree on it at collectives"},
    {"--control-ranks", "", "OVNI_CONTROL_RANKS", "RANKS", "",
     "ranks that the chains are for, as 0,3-5; the others record all (all)"},
    {"--control-log", "", "OVNI_CONTROL_LOG", "FILE", "",
     "a line there for each event; %r and %p in the name are rank and pid"},
    {"--control-default-start", "", "OVNI_CONTROL_DEFAULT_START", "0|1", "0|1",
     "whether recording begins by itself where no chain starts it (1)"},
};

const Option* find(std::string_view name) {
    auto same = [&](const Option& option) {
        return option.name == name || (!option.short_name.empty() && option.short_name == name);
    };
    auto found = std::find_if(std::begin(known), std::end(known), same);
    return found == std::end(known) ? nullptr : found;
}

bool is_choice(std::string_view choices, std::string_view value) {
    while (!choices.empty()) {
        std::string_view choice = choices.substr(0, choices.find('|'));
        if (choice == value) return true;
        choices.remove_prefix(std::min(choice.size() + 1, choices.size()));
    }
    return false;
}

void check_functions(std::string_view name, std::string_view list) {
    std::string_view wrong =
        choose_functions(list, std::span(mpi_function_choices), [](size_t /*function*/, bool /*in*/) {});
    if (!wrong.empty())
        throw UsageError(fmt::format("{}: '{}' is no function, family or tier, see --help", name, wrong));
}

std::string about_functions() {
    std::string text =
        "\nLIST of MPI functions: all, none, default, a tier, a family, or a function, with or without "
        "MPI_,\n"
        "from left to right; one that begins by leaving out begins with the default, which is tier1 and "
        "tier2:\n"
        "--mpi-functions default,-collective,MPI_Wtime. tier3 is what is hot or trivial. Families:\n";
    for (std::string_view family : mpi_function_families) text += fmt::format(" {}", family);
    return text + "\n";
}

struct Sizes {
    std::string_view variable;
    size_t least, most;
};

constexpr Sizes limits[] = {
    {"OVNI_BUFFER", writer::Settings::smallest_ring, writer::Settings::largest_ring},
    {"OVNI_FLIGHT", writer::Settings::smallest_flight, writer::Settings::largest_flight},
};

void check_size(std::string_view name, const Option& option, const std::string& value) {
    size_t size = writer::parse_size(value.c_str()).value_or(0);
    if (size == 0)
        throw UsageError(
            fmt::format("{} is a number of bytes above 0, as 512k or 16M, not '{}'", name, value));
    for (const Sizes& sizes : limits)
        if (option.variable == sizes.variable && (size < sizes.least || size > sizes.most))
            throw UsageError(
                fmt::format("{} is {}k to {}M, not '{}'", name, sizes.least >> 10, sizes.most >> 20, value));
}

void check_seconds(std::string_view name, std::string_view value) {
    bool is_decimal = value.find_first_not_of("0123456789.") == value.npos;
    double seconds = 0;
    auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    constexpr double longest = 1'000'000;  // for the library, too
    bool is_whole = fault == std::errc() && end == value.data() + value.size();
    if (!is_decimal || !is_whole || !(seconds > 0) || seconds > longest)
        throw UsageError(fmt::format(
            "{} is a number of seconds above 0, as 2 or 0.5, and 1000000 at most, not '{}'", name, value));
}

// `name`: of the option, or of its variable where that has the value.
void check(std::string_view name, const Option& option, std::string_view value) {
    if (value.empty()) throw UsageError(fmt::format("{} needs a value, {}", name, option.value));
    if (!option.choices.empty() && !is_choice(option.choices, value))
        throw UsageError(fmt::format("{} is {}, not '{}'", name, option.choices, value));
    if (option.value == "SIZE") check_size(name, option, std::string(value));
    if (option.value == "SECONDS") check_seconds(name, value);
    if (option.variable == "OVNI_LOOM" && value.find('/') != value.npos)
        throw UsageError(fmt::format("{}: a loom has no '/' in its name: '{}'", name, value));
    if (option.variable == "OVNI_RUNDIR" && !value.starts_with('/'))
        throw UsageError(fmt::format("{} is an absolute path, not '{}'", name, value));
    std::error_code none;
    if (option.variable == "OVNI_RUNDIR" && !std::filesystem::is_directory(value, none))
        throw UsageError(
            fmt::format("{}: no run directory can be made in '{}': it is no directory", name, value));
    if (option.variable == "OVNI_TRACEDIR" && std::filesystem::exists(value, none) &&
        !std::filesystem::is_directory(value, none))
        throw UsageError(fmt::format("{}: no trace can be written to '{}': it is no directory", name, value));
    if (option.variable == "OVNI_MPI_FUNCTIONS") check_functions(name, value);
    if (option.variable == "OVNI_CONTROL") check_chains(name, value);
    if (option.variable == "OVNI_CONTROL_RANKS") check_ranks(name, value);
}

// What the user has set for all runs is checked as well, where no option takes its place.
void check_environment(const Options& options) {
    for (const Option& option : known) {
        std::string variable(option.variable);
        const char* value = std::getenv(variable.c_str());
        bool is_replaced =
            std::ranges::any_of(options.environment, [&](const auto& set) { return set.first == variable; });
        if (value && *value && !option.value.empty() && !is_replaced) check(variable, option, value);
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
    const Option* option = find(word);
    if (!option) throw UsageError(fmt::format("unknown option {}, see --help", word));
    if (option->value.empty()) {
        if (value) throw UsageError(fmt::format("{} takes no value", word));
        value = "1";
    } else if (!value) {
        if (argv[1]) value = *++argv;
        check(option->name, *option, value.value_or(""));
    } else {
        check(option->name, *option, *value);
    }
    options.environment.emplace_back(option->variable, *value);
    return argv + 1;
}

}  // namespace

Options parse_options(char** argv) {
    Options options;
    ControlOptions control;
    ++argv;
    while (*argv && begins_with_dash(*argv)) {
        std::string_view word = *argv;
        if (word == "--") {
            ++argv;
            break;
        }
        if (word == "-h" || word == "--help") {
            options.help = true;
            return options;
        }
        if (word == "--detach") {
            options.detach = true;
            ++argv;
            continue;
        }
        if (size_t taken = control.take(argv))
            argv += taken;
        else
            argv = take(options, argv);
    }
    for (auto& set : control.environment()) options.environment.push_back(std::move(set));
    if (!*argv) throw UsageError("no program to run, see --help");
    check_environment(options);
    options.program = argv;
    return options;
}

std::string help_text() {
    std::string text =
        "usage: ovnirun [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n\n"
        "Runs the program with the tracing libraries in it, e.g. mpirun -n 4 ovnirun ./app. A program that "
        "is\n"
        "linked statically runs unchanged, and nothing of it is recorded.\n\noptions:\n";
    auto line = [&](const std::string& names, std::string_view meaning) {
        text += fmt::format("  {:<28} {}\n", names, meaning);
    };
    for (const Option& option : known) {
        std::string names(option.short_name);
        if (!names.empty()) names += ", ";
        names += option.name;
        if (!option.value.empty()) names += fmt::format(" {}", option.value);
        line(names, option.text);
    }
    line("-control, -skip, -length...", "the controller's words in other spellings: src/region/README.md");
    line("--detach", "record from a process that signals to the job do not reach");
    line("-h, --help", "print this text");
    text += about_functions();
    text += "\nMost options are the same as an environment variable: ";
    for (const Option& option : known)
        text += fmt::format("{}{}", &option == known ? "" : ", ", option.variable);
    return text + ".\n";
}

}  // namespace ovni::run
