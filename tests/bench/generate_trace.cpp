// bench-trace: writes a big trace of a given shape.
#include <fmt/format.h>

#include <algorithm>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "tests/bench/trace_generator.hpp"

namespace ovni::bench {

namespace {

namespace po = boost::program_options;

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
    throw UsageError("unknown mix '" + name + "', see --help");
}

std::string model_list() {
    std::string text;
    for (const Activity& activity : all_activities())
        text += fmt::format("  {:<8}{}\n", activity.model, activity.tasks ? "regions and tasks" : "regions");
    return text;
}

Cli cli_of_generator() {
    Cli cli;
    cli.usage = "bench-trace [options] DIR";
    cli.description =
        "Writes a trace into DIR, which must be empty or missing: threads that are busy all the time.\n"
        "Mix `mix` enters and leaves regions of the models, `tasks` runs tasks of the first model that has "
        "them.\nModels:\n" +
        model_list();
    auto number = [](uint32_t standard) { return po::value<uint32_t>()->default_value(standard); };
    cli.options.add_options()("looms", number(8), "looms")("processes", number(1), "processes of a loom")(
        "threads", number(4), "threads of a process; each has a CPU of its own")(
        "events", po::value<uint64_t>()->default_value(100000), "events in all")(
        "mix", po::value<std::string>()->default_value("mix"), "mix or tasks")(
        "models", po::value<std::string>()->default_value("ovni,mpi,nosv"), "models, separated by commas")(
        "gap-ns", number(1000), "mean time between events of a thread")("ranked", "processes are MPI ranks")(
        "checksums", "write stream.crc, too")("seed", po::value<uint64_t>()->default_value(1),
                                              "another seed, another trace");
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
    shape.mix = read_mix(cli.get<std::string>("mix"));
    shape.activities = read_models(cli.get<std::string>("models"));
    shape.ranks = cli.has("ranked") ? Ranks::one_per_process : Ranks::none;
    shape.crc = cli.has("checksums") ? StreamCrc::written : StreamCrc::none;
    shape.seed = cli.get<uint64_t>("seed");
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
