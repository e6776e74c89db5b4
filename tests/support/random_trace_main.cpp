// random-trace: writes one random trace that emulators accept.
#include <filesystem>
#include <map>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "tests/support/random_trace.hpp"

namespace ovni::test {

namespace {

template <class Value>
Value one_of(const std::map<std::string, Value>& values, const std::string& option, const std::string& name) {
    auto found = values.find(name);
    if (found == values.end()) throw UsageError("--" + option + " " + name + ": no such choice");
    return found->second;
}

constexpr OptionRow rows[] = {
    {"seed", "", "N", "", "What all choices follow from.", "1"},
    {"looms", "", "N", "", "Looms.", "4"},
    {"processes", "", "N", "", "Processes of a loom.", "2"},
    {"threads", "", "N", "", "Threads of a process.", "2"},
    {"events", "", "N", "", "Events of a thread, before those that close what is open.", "400"},
    {"models", "", "WORD", "", "The characters of the event models.", every_model},
    {"hosts", "", "N", "", "Hosts of the looms; 0: each has its own.", "0"},
    {"cpus", "", "N", "", "Physical CPUs of a loom.", "2"},
    {"ranks", "", "all|none|mixed", "", "Which looms have ranks.", "all"},
    {"apps", "", "N", "", "Different application ids.", "1"},
    {"equal-tids", "", "", "", "Processes of a loom use equal tids."},
    {"clock-offsets", "", "", "", "Clocks of hosts differ; writes clock-offsets.txt."},
    {"ties-within", "", "N", "", "Percent of events with the clock of the one before.", "33"},
    {"ties-between", "", "N", "", "Percent of events with the clock of an event of another stream.", "33"},
    {"distinct", "", "", "", "All clocks of the trace are distinct."},
    {"marks", "", "N", "", "Mark types.", "4"},
    {"punctual", "", "", "", "One more mark type, of punctual states."},
    {"counters", "", "N", "", "Hardware counters, with nosv.", "3"},
    {"can-breakdown", "", "all|some|missing", "", "The entry nosv.can_breakdown of threads.", "all"},
    {"crowded", "", "", "", "Several threads may run on one physical CPU."},
    {"own-cpus", "", "", "", "No process uses a CPU of another; needs --crowded and a CPU for each process."},
    {"leave-open", "", "", "", "States of some threads stay open."},
};

Cli random_cli() {
    Cli cli;
    cli.manual.program = "random-trace";
    cli.manual.usage = "random-trace [OPTIONS] DIR";
    cli.manual.description =
        "Writes a random trace into DIR, which is made, or is empty. Emulators accept it.";
    cli.manual.options = {std::begin(rows), std::end(rows)};
    return cli;
}

RandomTrace read_options(const Cli& cli) {
    RandomTrace what;
    what.seed = cli.get<uint32_t>("seed");
    what.looms = cli.get<int>("looms");
    what.processes = cli.get<int>("processes");
    what.threads = cli.get<int>("threads");
    what.events = cli.get<int>("events");
    what.models = cli.get("models");
    what.hosts = cli.get<int>("hosts");
    what.cpus = cli.get<int>("cpus");
    what.ranks = one_of<Ranks>({{"all", Ranks::all}, {"none", Ranks::none}, {"mixed", Ranks::mixed}}, "ranks",
                               cli.get("ranks"));
    what.apps = cli.get<int>("apps");
    what.equal_tids = cli.has("equal-tids");
    what.clock_offsets = cli.has("clock-offsets");
    what.ties_within = cli.has("distinct") ? 0 : cli.get<int>("ties-within");
    what.ties_between = cli.has("distinct") ? 0 : cli.get<int>("ties-between");
    what.marks = cli.get<int>("marks");
    what.punctual = cli.has("punctual");
    what.counters = cli.get<int>("counters");
    what.can_breakdown = one_of<CanBreakdown>(
        {{"all", CanBreakdown::all}, {"some", CanBreakdown::some}, {"missing", CanBreakdown::missing}},
        "can-breakdown", cli.get("can-breakdown"));
    what.crowded = cli.has("crowded");
    what.own_cpus = cli.has("own-cpus");
    what.leave_open = cli.has("leave-open");
    if (what.own_cpus && (!what.crowded || what.cpus < what.processes))
        throw UsageError("--own-cpus needs --crowded and a CPU for each process");
    return what;
}

int run(int argc, char** argv) {
    Cli cli = random_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    const std::filesystem::path directory = only_word(cli, "trace directory");
    const RandomTrace what = read_options(cli);
    if (std::filesystem::exists(directory) && !std::filesystem::is_empty(directory))
        throw Error("is there already, and not empty", directory);
    TraceBuilder trace;
    build(trace, what);
    trace.write_to(directory);
    return 0;
}

}  // namespace

}  // namespace ovni::test

int main(int argc, char** argv) {
    return ovni::run_main("random-trace", [&] { return ovni::test::run(argc, argv); });
}
