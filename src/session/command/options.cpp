#include "session/command/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/open_directory.hpp"
#include "base/topics.hpp"
#include "base/typed_options.hpp"
#include "ring/settings.hpp"
#include "session/check/trace_check.hpp"

namespace ovni {

namespace {

RowNames row_names(const std::string& value) {
    if (value == "reference") return RowNames::reference;
    if (value == "ranks") return RowNames::ranks;
    throw UsageError(fmt::format("--row-names is ranks or reference, not '{}' (see --help)", value));
}

int threads(const std::string& value) {
    constexpr int most = 1024;
    return number_of("--jobs", value, 1, most);
}

uint64_t memory(const std::string& value) {
    const std::optional<size_t> size = writer::parse_size(value.c_str());
    if (!size)
        throw UsageError(fmt::format(
            "--memory is a number of bytes or of k, M or G, such as 512M, not '{}' (see --help)", value));
    return *size;
}

int64_t min_duration(const std::string& value) {
    return parse_duration(value, "--min-duration");
}

void read_local(EmulationOptions& options, const std::string& directory) {
    options.trace = directory;
    options.storage = Storage::node_local;
}

constexpr TypedOption<EmulationOptions> rows[] = {
    {{"output", "o", "DIR", "", "Directory of the outputs. Default: TRACE."},
     store<&EmulationOptions::output>},
    {{"clock-offsets", "c", "FILE", "",
      R"(Clocks of the nodes: clocks.json or clock-offsets.txt, of any name. Default: what the program has
     measured itself, with clocks.json in TRACE; if there is neither, clock-offsets.txt in TRACE.)"},
     store<&EmulationOptions::clock_table>},
    {{"sort", "", "", "",
      R"(Sort unsorted regions (OU[ to OU]) while reading, as ovnisort does. Nothing is written to TRACE.)"},
     choose<&EmulationOptions::regions, Regions::sorted>},
    {{"keep-going", "", "", "",
      R"(Emulate what is good of a damaged trace. Streams that cannot be read are left out, others end at
     their first wrong event, and a list says what is missing. Reads the trace three times more.)"},
     choose<&EmulationOptions::tolerance, Tolerance::keep_going>},
    {{"report", "", "FILE", "",
      R"(Write a summary as JSON, too: events, time in states, MPI by function and rank, losses and oddities.
     See --help report.)"},
     store<&EmulationOptions::report>},
    {{"breakdown", "b", "", "",
      R"(Write breakdowns, too: what all CPUs do, sorted, for the models nanos6, nosv and openmp.)"},
     choose<&EmulationOptions::breakdowns, Breakdowns::yes>},
    {{"no-prv", "", "", "", "Leave out the Paraver traces, and write what other options name alone."},
     choose<&EmulationOptions::leaves_out_prv, true>},
    {{"no-states", "", "", "", "Leave states out of mpi.prv, which is half as large then."},
     choose<&EmulationOptions::leaves_out_states, true>,
     "mpi-prv",
     "no other output has them"},
    {{"min-duration", "", "TIME", "",
      "Leave slices shorter than this, such as 10us, out of --perfetto. Their number is printed."},
     store_parsed<&EmulationOptions::min_duration, min_duration>,
     "perfetto",
     "other outputs have all slices"},
    {{"row-names", "", "ranks|reference", "",
      R"(Names of thread rows in all outputs. ranks: with rank, host and the name of the thread, as far as the
     trace tells them, as in "rank 3 node1 TH 1.20 thread helper"; reference: those of the reference emulator, as
     in "TH 1.20". Traces of other libraries always have the latter.)",
      "ranks"},
     store_parsed<&EmulationOptions::row_names, row_names>},
    {{"no-messages", "", "", "", "Leave messages out, for which the trace is read once more."},
     choose<&EmulationOptions::messages, Messages::left_out>},
    {{"memory", "", "SIZE", "",
      R"(What tables of messages, calls, waits and collectives may take, with k, M or G; more than that lies in files
     beside the outputs while it is needed. Default: half of the memory that is free, divided among the ranks of a node.)"},
     store_parsed<&EmulationOptions::memory, memory>},
    {{"all-models", "a", "", "", "Enable all models, not only those that the trace requires."},
     choose<&EmulationOptions::enabled, EnabledModels::all>},
    {{"linter", "l", "", "",
      R"(Be strict. It is an error if states are open at the end, if a program has not ended its streams, or
     if a CPU has more than one running thread.)"},
     choose<&EmulationOptions::strictness, Strictness::linter>},
    {{"exact-order", "", "", "",
      R"(Play events with equal clocks in the order of the reference emulator, not by the paths of their streams. This is
     slower, and one rank or thread does all the work, so it excludes --local.)"},
     choose<&EmulationOptions::order, EventOrder::exact>},
    {{"empty-ok", "", "", "",
      R"(Make empty outputs of a directory that holds no trace, or of a trace of which --keep-going leaves
     nothing. Default: an error.)"},
     choose<&EmulationOptions::empty_is_ok, true>},
    {{"statistics", "", "FILE", "",
      "Write what the emulation cost each rank or thread, as JSON. See --help cost."},
     store<&EmulationOptions::statistics>},
    {{"debug", "d", "", "", "Print debug messages."},
     [](EmulationOptions&, const std::string&) { log::enable_debug(); }},
};

constexpr TypedOption<EmulationOptions> threads_rows[] = {
    {{"jobs", "j", "N", "",
      R"(Share the emulation among N threads. The outputs are the same. Default: half the cores, because others
     write, but at most 8, at most as many as processes are in the trace, and fewer for a small trace.
     Programs whose ranks were bound to CPUs divide best. See --help cost.)"},
     store_parsed<&EmulationOptions::threads, threads>},
};

constexpr TypedOption<EmulationOptions> distributed_rows[] = {
    {{"local", "", "DIR", "",
      R"(Read a trace that lies on disks of the nodes, instead of TRACE. Every node has its own DIR, in which %h
     is the host and %r the rank of ovniemu-mpi. Every node with a part of the trace needs a rank. Needs -o;
     rank 0 writes there if not all nodes see that directory.)"},
     read_local,
     "output",
     "where the outputs go"},
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
from the first event: 1.5s 300ms 20us 123456ns. Messages are not matched in a part
that begins after the start of the run.)",
        .options = {},
        .lists = list_of_models(),
        .topics = {&topics::report, &topics::columns, &topics::cut, &topics::plots, &topics::cost,
                   &topics::outputs},
    };
    append_rows(cli.manual.options, rows);
    insert_focus_rows(cli.manual, 1);
    for (const OutputFormat& format : output_formats()) cli.manual.options.push_back(format.option);
    return cli;
}

}  // namespace

Cli emulation_cli() {
    Cli cli = common_cli();
    append_rows(cli.manual.options, threads_rows);
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
    append_rows(cli.manual.options, distributed_rows);
    cli.elsewhere = {{"j", "jobs", "ranks share the work here, start more of them with mpirun -n"}};
    return cli;
}

EmulationOptions read_options(const Cli& cli) {
    EmulationOptions options;
    if (cli.has("local") && !cli.words.empty())
        throw UsageError("--local says where the trace is; one directory too many: " + cli.words.front());
    take_options(rows, cli, options);
    take_options(threads_rows, cli, options);
    take_options(distributed_rows, cli, options);
    options.focus = read_focus(cli);
    if (options.storage == Storage::shared) {
        options.trace = only_word(cli, "trace directory");
    } else if (!options.focus.is_whole()) {
        throw UsageError("--local reads all of a trace: cut a part that all nodes see (see --help cut)");
    } else if (options.order == EventOrder::exact) {
        throw UsageError(
            "--exact-order is the work of one rank, which has to see all of the trace: leave out --local");
    }
    if (options.output.empty()) options.output = options.trace;
    for (const OutputFormat& format : output_formats())
        if (std::string name(format.option.name); cli.has(name))
            options.outputs.push_back(
                {&format, format.own_name ? options.output : std::filesystem::path(cli.get(name))});
    if (options.leaves_out_prv && options.outputs.empty() && !options.report)
        throw UsageError("--no-prv leaves nothing to write: name an output, as --html FILE (see --help)");
    if (options.leaves_out_prv && options.breakdowns == Breakdowns::yes)
        throw UsageError("--breakdown writes Paraver traces, which --no-prv leaves out: choose one");
    if (options.tolerance == Tolerance::none) advise_keep_going(options.trace);
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
