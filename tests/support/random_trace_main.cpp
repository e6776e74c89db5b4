// random-trace: writes one random trace that emulators accept.
#include <filesystem>
#include <map>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "tests/support/random_trace.hpp"

namespace ovni::test {

namespace {

namespace po = boost::program_options;

template <class Value>
Value one_of(const std::map<std::string, Value>& values, const std::string& option, const std::string& name) {
    auto found = values.find(name);
    if (found == values.end()) throw UsageError("--" + option + " " + name + ": no such choice");
    return found->second;
}

struct Words {
    std::string ranks = "all", can_breakdown = "all";
    bool distinct = false;
};

// Help shows the default of an option that takes a value.
void add_options(po::options_description& options, RandomTrace& what, Words& words) {
    auto number = [](auto& member) { return po::value(&member)->default_value(member)->value_name("N"); };
    auto text = [](std::string& member) {
        return po::value(&member)->default_value(member)->value_name("WORD");
    };
    auto flag = [](bool& member) { return po::bool_switch(&member); };
    options.add_options()("seed", number(what.seed), "what all choices follow from")(
        "looms", number(what.looms), "looms")("processes", number(what.processes), "processes of a loom")(
        "threads", number(what.threads), "threads of a process")(
        "events", number(what.events), "events of a thread, before those that close what is open")(
        "models", text(what.models), "the characters of the event models")(
        "hosts", number(what.hosts), "hosts of the looms; 0: each has its own")(
        "cpus", number(what.cpus), "physical CPUs of a loom")("ranks", text(words.ranks),
                                                              "all, none or mixed: which looms have ranks")(
        "apps", number(what.apps), "different application ids")("equal-tids", flag(what.equal_tids),
                                                                "processes of a loom use the same tids")(
        "clock-offsets", flag(what.clock_offsets), "clocks of hosts differ; writes clock-offsets.txt")(
        "ties-within", number(what.ties_within), "percent of events with the clock of the one before")(
        "ties-between", number(what.ties_between), "the same, where that is an event of another stream")(
        "distinct", flag(words.distinct), "all clocks of the trace are distinct")("marks", number(what.marks),
                                                                                  "mark types")(
        "punctual", flag(what.punctual), "one more, of punctual states")("counters", number(what.counters),
                                                                         "hardware counters, with nosv")(
        "can-breakdown", text(words.can_breakdown), "all, some or missing: nosv.can_breakdown of threads")(
        "crowded", flag(what.crowded), "several threads may run on one physical CPU")(
        "leave-open", flag(what.leave_open), "states of some threads stay open");
}

int run(int argc, char** argv) {
    RandomTrace what = {.punctual = false, .models = every_model};
    Words words;
    Cli cli;
    cli.usage = "random-trace [options] DIR";
    cli.description = "Writes a random trace into DIR, which is made, or is empty. Emulators accept it.";
    add_options(cli.options, what, words);
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    const std::filesystem::path directory = only_word(cli, "trace directory");
    what.ranks = one_of<Ranks>({{"all", Ranks::all}, {"none", Ranks::none}, {"mixed", Ranks::mixed}}, "ranks",
                               words.ranks);
    what.can_breakdown = one_of<CanBreakdown>(
        {{"all", CanBreakdown::all}, {"some", CanBreakdown::some}, {"missing", CanBreakdown::missing}},
        "can-breakdown", words.can_breakdown);
    if (words.distinct) what.ties_within = what.ties_between = 0;
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
