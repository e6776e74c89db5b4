// bench-trace: writes a big trace of a given shape.
#include <fmt/format.h>

#include <algorithm>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "tests/bench/trace_generator.hpp"

namespace ovni::bench {

namespace {

std::vector<const Activity*> read_models(const std::string& list) {
    std::vector<const Activity*> activities;
    for (size_t at = 0; at <= list.size();) {
        size_t comma = std::min(list.find(',', at), list.size());
        std::string model = list.substr(at, comma - at);
        const Activity* activity = find_activity(model);
        if (!activity) throw UsageError("no events of model '" + model + "' here, see --help");
        activities.push_back(activity);
        at = comma + 1;
    }
    return activities;
}

Mix read_mix(const std::string& name) {
    if (name == "mix") return Mix::regions;
    if (name == "tasks") return Mix::tasks;
    if (name == "messages") return Mix::messages;
    throw UsageError("unknown mix '" + name + "', see --help");
}

std::string model_list() {
    std::string text;
    for (const Activity& activity : all_activities())
        text +=
            fmt::format("    {:<8}{}\n", activity.model, activity.tasks ? "regions and tasks" : "regions");
    return text;
}

constexpr OptionRow rows[] = {
    {"looms", "", "N", "", "Looms.", "8"},
    {"processes", "", "N", "", "Processes of a loom.", "1"},
    {"threads", "", "N", "", "Threads of a process.", "4"},
    {"events", "", "N", "", "Events in all, without those of --idle.", "100000"},
    {"mix", "", "mix|tasks|messages", "", "What threads do.", "mix"},
    {"models", "", "LIST", "", "Models, separated by commas.", "ovni,mpi,nosv"},
    {"pending", "", "N", "",
     "Of messages: how many a rank posts before it waits; 0: it sends and receives one by one.", "1"},
    {"gap-ns", "", "N", "", "Mean time between events of a thread.", "1000"},
    {"idle", "", "N", "",
     "N more events behind each one, except where a thread begins and ends. They change nothing in the "
     "outputs. Even, and less than half of the least gap.",
     "0"},
    {"growing", "", "", "", "The looms have events as 1 : 2 : 3 ..., in the same time."},
    {"unbound", "", "", "",
     "The threads of a loom share its virtual CPU. Without it, each has a CPU of its own."},
    {"ranked", "", "", "", "Processes are MPI ranks."},
    {"checksums", "", "", "", "Write stream.crc, too."},
    {"seed", "", "N", "", "Another seed, another trace.", "1"},
};

Cli cli_of_generator() {
    Cli cli;
    cli.manual.program = "bench-trace";
    cli.manual.usage = "bench-trace [OPTIONS] DIR";
    cli.manual.description =
        R"(Writes a trace into DIR, which must be empty or missing: threads that are busy all the
time. Mix `mix` enters and leaves regions of the models, `tasks` runs tasks of the first model that has them,
`messages` sends messages round a ring of ranks, or with --pending 0 from each even rank to the next; it needs --ranked
--threads 1.)";
    cli.manual.options = {std::begin(rows), std::end(rows)};
    cli.manual.lists = "Models:\n\n" + model_list();
    return cli;
}

int generate_trace(int argc, char** argv) {
    Cli cli = cli_of_generator();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    TraceShape shape;
    shape.looms = cli.get<uint32_t>("looms");
    shape.processes = cli.get<uint32_t>("processes");
    shape.threads = cli.get<uint32_t>("threads");
    shape.events = cli.get<uint64_t>("events");
    if (cli.has("growing")) shape.sizes = Looms::growing;
    if (cli.has("unbound")) shape.cpus = Cpus::virtual_one;
    shape.mix = read_mix(cli.get("mix"));
    shape.activities = read_models(cli.get("models"));
    shape.ranks = cli.has("ranked") ? Ranks::one_per_process : Ranks::none;
    shape.crc = cli.has("checksums") ? StreamCrc::written : StreamCrc::none;
    shape.seed = cli.get<uint64_t>("seed");
    shape.pending = cli.get<uint32_t>("pending");
    shape.idle = cli.get<uint32_t>("idle");
    shape.gap = cli.get<uint32_t>("gap-ns");
    std::filesystem::path directory = only_word(cli, "directory");
    if (std::filesystem::exists(directory) && !std::filesystem::is_empty(directory))
        throw Error("not empty", directory);
    generate(shape, directory);
    return 0;
}

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    return ovni::run_main("bench-trace", [&] { return ovni::bench::generate_trace(argc, argv); });
}
