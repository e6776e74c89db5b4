#include "session/options.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"

namespace ovni {

namespace {

std::string list_of_models() {
    std::string text = "Models:\n";
    for (const ModelSpec* model : all_models())
        text += fmt::format("  {}  {:<8}  {}\n", model->id, model->name, model->version);
    return text;
}

}  // namespace

Cli emulation_cli(const char* program, const char* further) {
    namespace po = boost::program_options;
    Cli cli;
    cli.usage = fmt::format(
        "{} [-c FILE] [-o DIR] [-abdl] [--sort] [--exact-order] [--keep-going] [--hdf5 FILE] [--report "
        "FILE]{} TRACE",
        program, further);
    cli.description =
        "Turns the runtime trace in the directory TRACE into the Paraver traces thread.prv and cpu.prv.\n" +
        list_of_models();
    cli.options.add_options()(
        "clock-offsets,c", po::value<std::string>(),
        "clocks.json or clock-offsets.txt of any name; default: what the program has measured itself, with "
        "clocks.json in TRACE; else clock-offsets.txt there")("output,o", po::value<std::string>(),
                                                              "directory of the outputs; default: TRACE")(
        "keep-going",
        "emulate what is good of a damaged trace: streams that cannot be read are left out, others end where "
        "their events are wrong; all that is missing is listed. Reads the trace three times")(
        "hdf5", po::value<std::string>(),
        "write all changes as columns to that file, too, for analysis with h5py and the like; "
        "src/sink/README.md has its layout")(
        "report", po::value<std::string>(),
        "write a summary to that file, too, as JSON: events, time in states, MPI by function and rank, what "
        "was lost, what is odd; src/tools/README.md has its layout")(
        "all-models,a", "enable all models, not only those that the trace requires")(
        "breakdown,b",
        "write breakdowns, too: what all CPUs do, sorted, for the models nanos6, nosv and openmp")(
        "linter,l",
        "be strict: open states at the end, streams that the program did not end and CPUs with more than "
        "one running thread are errors")("sort",
                                         "sort unsorted regions (OU[ to OU]) while reading, as ovnisort "
                                         "would do it; nothing is written to TRACE")(
        "exact-order",
        "play events with equal clocks in the order of the reference emulator, not by path of their streams; "
        "slower")("debug,d", "print debug messages");
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
    options.output = cli.has("output") ? cli.get<std::string>("output") : options.trace.string();
    if (cli.has("clock-offsets")) options.clock_table = cli.get<std::string>("clock-offsets");
    for (const OutputFormat& format : output_formats())
        if (cli.has(format.option)) options.outputs.push_back({&format, cli.get<std::string>(format.option)});
    if (cli.has("report")) options.report = cli.get<std::string>("report");
    if (cli.has("all-models")) options.enabled = EnabledModels::all;
    if (cli.has("breakdown")) options.breakdowns = Breakdowns::yes;
    if (cli.has("linter")) options.strictness = Strictness::linter;
    if (cli.has("exact-order")) options.order = EventOrder::exact;
    if (cli.has("sort")) options.regions = Regions::sorted;
    if (cli.has("keep-going")) options.tolerance = Tolerance::keep_going;
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
    make_directories(options.output);
    if (::access(options.output.c_str(), W_OK | X_OK) != 0)
        throw system_error("no outputs can be written here (-o says where else)", options.output);
}

std::string tool_version() {
    return "ovni-mpi " OVNI_VERSION;
}

std::vector<uint32_t> loom_of_stream(const Trace& trace, const System& system) {
    // A stream that is no thread's is alone.
    auto looms = static_cast<uint32_t>(system.looms().size());
    std::vector<uint32_t> groups;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        uint32_t thread = system.thread_of_stream(s);
        groups.push_back(thread == System::no_thread ? looms + s : system.threads()[thread].loom);
    }
    return groups;
}

void print_ties(uint64_t ties, EventOrder order) {
    if (ties == 0) return;
    log::info("{} events share their clock with an event of another stream of their loom (played {})", ties,
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

int print_end(EmulationEnd end, size_t streams) {
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
    return status_of(end);
}

}  // namespace ovni
