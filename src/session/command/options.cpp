#include "session/command/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/open_directory.hpp"
#include "base/topics.hpp"
#include "core/parse_number.hpp"
#include "ring/settings.hpp"
#include "session/check/trace_check.hpp"

namespace ovni {

namespace {

constexpr OptionRow rows[] = {
    {"output", "o", "DIR", "", "Directory of the outputs. Default: TRACE."},
    {"clock-offsets", "c", "FILE", "",
     R"(Clocks of the nodes: clocks.json or clock-offsets.txt, of any name. Default: what the program has
     measured itself, with clocks.json in TRACE; if there is neither, clock-offsets.txt in TRACE.)"},
    {"sort", "", "", "",
     R"(Sort unsorted regions (OU[ to OU]) while reading, as ovnisort does. Nothing is written to TRACE.)"},
    {"keep-going", "", "", "",
     R"(Emulate what is good of a damaged trace. Streams that cannot be read are left out, others end at
     their first wrong event, and a list says what is missing. Reads the trace three times more.)"},
    {"report", "", "FILE", "",
     R"(Write a summary as JSON, too: events, time in states, MPI by function and rank, losses and oddities.
     See --help report.)"},
    {"breakdown", "b", "", "",
     R"(Write breakdowns, too: what all CPUs do, sorted, for the models nanos6, nosv and openmp.)"},
    {"no-states", "", "", "", "Leave states out of mpi.prv, which is half as large then."},
    {"min-duration", "", "TIME", "",
     "Leave slices out of --perfetto that are shorter, such as 10us. A line says how many these are."},
    {"row-names", "", "ranks|reference", "",
     R"(Names of thread rows in all outputs. ranks: with rank, host and the name of the thread, as far as the
     trace tells them, as in "rank 3 node1 TH 1.20 thread helper"; reference: those of the reference emulator, as
     in "TH 1.20". Traces of other libraries always have the latter.)",
     "ranks"},
    {"no-messages", "", "", "", "Leave messages out, for which the trace is read once more."},
    {"memory", "", "SIZE", "",
     R"(What tables of messages, calls, waits and collectives may take, with k, M or G; more than that lies in files
     beside the outputs while it is needed. Default: half of the memory that is free, divided among the ranks of a node.)"},
    {"all-models", "a", "", "", "Enable all models, not only those that the trace requires."},
    {"linter", "l", "", "",
     R"(Be strict. It is an error if states are open at the end, if a program has not ended its streams, or
     if a CPU has more than one running thread.)"},
    {"exact-order", "", "", "",
     R"(Play events with equal clocks in the order of the reference emulator, not by the paths of their streams. This is
     slower, and one rank or thread does all the work, so it excludes --local.)"},
    {"empty-ok", "", "", "",
     R"(Make empty outputs of a directory that holds no trace, or of a trace of which --keep-going leaves
     nothing. Default: an error.)"},
    {"statistics", "", "FILE", "",
     "Write what the emulation cost each rank or thread, as JSON. See --help cost."},
    {"debug", "d", "", "", "Print debug messages."},
};

constexpr OptionRow threads_row = {
    "jobs", "j", "N", "",
    R"(Share the emulation among N threads. The outputs are the same. Default: half the cores, because others
     write, but at most 8, at most as many as processes are in the trace, and fewer for a small trace.
     Programs whose ranks were bound to CPUs divide best. See --help cost.)"};

constexpr OptionRow distributed_rows[] = {
    {"local", "", "DIR", "",
     R"(Read a trace that lies on disks of the nodes, instead of TRACE. Every node has its own DIR, in which %h
     is the host and %r the rank of ovniemu-mpi. Every node with a part of the trace needs a rank. Needs -o;
     rank 0 writes there if not all nodes see that directory.)"},
};

// The order of the reference emulator, for scripts that read it; models that it has not come behind.
std::string list_of_models() {
    constexpr std::string_view first = "O6VDTMKP";
    std::vector<const ModelSpec*> models(all_models().begin(), all_models().end());
    std::ranges::stable_sort(models, {}, [&](const ModelSpec* model) { return first.find(model->id); });
    std::string text = "Models:\n\n";
    for (const ModelSpec* model : models)
        text += fmt::format("    {}  {:<8}  {}\n", model->id, model->name, model->version);
    return text;
}

RowNames row_names(const Cli& cli) {
    const auto value = cli.get("row-names");
    if (value == "reference") return RowNames::reference;
    if (value == "ranks") return RowNames::ranks;
    throw UsageError(fmt::format("--row-names is ranks or reference, not '{}' (see --help)", value));
}

int threads(const Cli& cli) {
    constexpr int most = 1024;
    const auto value = cli.get<std::string>("jobs");
    const auto number = parse_number<int>(value);
    if (!number || *number < 1 || *number > most)
        throw UsageError(fmt::format("--jobs is a number from 1 to {}, not '{}' (see --help)", most, value));
    return *number;
}

uint64_t memory(const Cli& cli) {
    const auto value = cli.get<std::string>("memory");
    const std::optional<size_t> size = writer::parse_size(value.c_str());
    if (!size)
        throw UsageError(fmt::format(
            "--memory is a number of bytes or of k, M or G, such as 512M, not '{}' (see --help)", value));
    return *size;
}

// Both emulators have these.
Cli common_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovniemu",
        .summary = "turn a trace into Paraver files",
        .usage = "ovniemu [OPTIONS] TRACE",
        .words = "DIR",
        .description =
            R"(Turns the trace in the directory TRACE into the Paraver traces thread.prv and cpu.prv.
One process does the work, on several threads if -j says so or the trace is large; ovniemu-mpi shares it among nodes.

--from, --to, --region, --without and --ranks show a part, as if ovnicut had written it: see --help cut. A TIME counts
from the first event: 1.5s 300ms 20us 123456ns. A part that begins inside of the run has no messages.)",
        .options = {std::begin(rows), std::end(rows)},
        .lists = list_of_models(),
        .topics = {&topics::report, &topics::columns, &topics::cut, &topics::plots, &topics::cost,
                   &topics::outputs},
    };
    cli.manual.options.insert(cli.manual.options.begin() + 1, focus_rows().begin(), focus_rows().end());
    for (const OutputFormat& format : output_formats()) cli.manual.options.push_back(format.option);
    return cli;
}

}  // namespace

Cli emulation_cli() {
    Cli cli = common_cli();
    cli.manual.options.push_back(threads_row);
    cli.elsewhere = {{"", "local", "ovniemu-mpi reads traces on disks of the nodes"}};
    return cli;
}

Cli distributed_cli() {
    Cli cli = common_cli();
    cli.manual.program = "ovniemu-mpi";
    cli.manual.summary = "turn a trace into Paraver files, on many nodes";
    cli.manual.usage = "mpirun -n N ovniemu-mpi [OPTIONS] TRACE | --local DIR -o DIR";
    cli.manual.description =
        R"(Turns the trace in the directory TRACE into the Paraver traces thread.prv and cpu.prv.
The ranks share the work by nodes of the trace, and by processes that have CPUs of their own. The outputs are those of
ovniemu, byte by byte.

--from, --to, --region, --without and --ranks show a part, which rank 0 cuts first: see --help cut. A TIME counts from the
first event: 1.5s 300ms 20us 123456ns.)";
    cli.manual.options.insert(cli.manual.options.end(), std::begin(distributed_rows),
                              std::end(distributed_rows));
    cli.elsewhere = {{"j", "jobs", "ranks share the work here, start more of them with mpirun -n"}};
    return cli;
}

EmulationOptions read_options(const Cli& cli) {
    EmulationOptions options;
    if (cli.has("local")) {
        if (!cli.words.empty())
            throw UsageError("--local says where the trace is; one directory too many: " + cli.words.front());
        if (!cli.has("output")) throw UsageError("--local needs -o: where the outputs go");
        options.trace = cli.get<std::string>("local");
        options.storage = Storage::node_local;
    } else {
        options.trace = only_word(cli, "trace directory");
    }
    options.focus = read_focus(cli);
    if (options.storage == Storage::node_local && !options.focus.is_whole())
        throw UsageError("--local reads all of a trace: cut a part that all nodes see (see --help cut)");
    options.output = cli.has("output") ? cli.get<std::string>("output") : options.trace.string();
    if (cli.has("clock-offsets")) options.clock_table = cli.get<std::string>("clock-offsets");
    for (const OutputFormat& format : output_formats())
        if (std::string name(format.option.name); cli.has(name))
            options.outputs.push_back({&format, format.own_name
                                                    ? options.output
                                                    : std::filesystem::path(cli.get<std::string>(name))});
    if (cli.has("report")) options.report = cli.get<std::string>("report");
    if (cli.has("statistics")) options.statistics = cli.get<std::string>("statistics");
    if (cli.has("all-models")) options.enabled = EnabledModels::all;
    if (cli.has("breakdown")) options.breakdowns = Breakdowns::yes;
    if (cli.has("linter")) options.strictness = Strictness::linter;
    if (cli.has("exact-order")) options.order = EventOrder::exact;
    if (options.storage == Storage::node_local && options.order == EventOrder::exact)
        throw UsageError(
            "--exact-order is the work of one rank, which has to see all of the trace: leave out --local");
    if (cli.has("sort")) options.regions = Regions::sorted;
    options.row_names = row_names(cli);
    options.empty_is_ok = cli.has("empty-ok");
    if (cli.has("keep-going"))
        options.tolerance = Tolerance::keep_going;
    else
        advise_keep_going(options.trace);
    if (cli.has("no-messages")) options.messages = Messages::left_out;
    if (cli.has("jobs")) options.threads = threads(cli);
    if (cli.has("memory")) options.memory = memory(cli);
    if (cli.has("no-states")) {
        if (!cli.has("mpi-prv")) throw UsageError("--no-states needs --mpi-prv: no other output has them");
        options.leaves_out_states = true;
    }
    if (cli.has("min-duration")) {
        if (!cli.has("perfetto"))
            throw UsageError("--min-duration needs --perfetto: other outputs have all slices");
        options.min_duration = parse_duration(cli.get<std::string>("min-duration"));
    }
    if (cli.has("debug")) log::enable_debug();
    return options;
}

DryRunOptions dry_run_of(const EmulationOptions& options, ClockSources clocks) {
    return {std::move(clocks), options.enabled, options.order, options.regions};
}

std::optional<std::vector<Damage>> damages_of(const EmulationOptions& options,
                                              const std::vector<Damage>& damages) {
    if (options.tolerance == Tolerance::none) return std::nullopt;
    return damages;
}

void make_output_directory(const EmulationOptions& options) {
    if (is_foreign_link(options.output)) throw Error(foreign_link_text, options.output);
    make_directories(options.output);
    if (::access(options.output.c_str(), W_OK | X_OK) != 0)
        throw system_error("no outputs can be written here (-o says where else)", options.output);
}

std::string tool_version() {
    return "ovni-mpi " OVNI_VERSION;
}

std::vector<uint32_t> tie_groups(const Trace& trace, const System& system) {
    // A stream that is no thread's is alone.
    auto processes = static_cast<uint32_t>(system.processes().size());
    std::vector<uint32_t> groups;
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        groups.push_back(system.thread_of_stream(s) == System::no_thread ? processes + s
                                                                         : system.process_of_stream(s));
    return groups;
}

void print_ties(uint64_t ties, EventOrder order) {
    if (ties == 0) return;
    log::info("{} events share their clock with an event of another thread of their process (played {})",
              ties,
              order == EventOrder::canonical ? "by path of the streams, see --exact-order"
                                             : "as the reference does");
}

void print_clocks(const ClockModel& clocks, const Trace& trace, int64_t origin, int64_t duration) {
    std::string text = clocks.summary(clocks.hosts_of(trace), origin, origin + duration);
    if (!text.empty()) log::info("{}", text);
}

int status_of(EmulationEnd end) {
    return end == EmulationEnd::with_errors ? 1 : 0;
}

void print_end(EmulationEnd end, size_t streams) {
    switch (end) {
        case EmulationEnd::complete:
            if (streams == 0)
                log::warn("there was nothing to emulate, the outputs are empty");
            else
                log::info("emulation finished ok");
            break;
        case EmulationEnd::interrupted:
            log::info("emulation finished partially but ok");
            break;
        case EmulationEnd::with_errors:
            log::error("emulation finished with errors");
            break;
    }
}

}  // namespace ovni
