// ovnisync: measures by how much the clocks of the nodes differ, for the emulator to correct.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/file.hpp"
#include "base/log.hpp"
#include "comm/host_names.hpp"
#include "comm/main.hpp"
#include "sync/survey.hpp"
#include "sync/table.hpp"

namespace ovni::sync {
namespace {

namespace po = boost::program_options;

struct Options {
    std::string outfile;
    int samples = 0;
    int tables = 0;
    int pause_s = 0;
    bool verbose = false;
};

// A table of drift is for people: the emulator must not take it for one of offsets.
std::string default_outfile(int tables) {
    const char* dir = std::getenv("OVNI_TRACEDIR");
    return std::filesystem::path(dir && *dir ? dir : "ovni") /
           (tables > 1 ? "clock-drift.txt" : "clock-offsets.txt");
}

void describe(Cli& cli, Options& options) {
    cli.usage = "mpirun -n N ovnisync [-o FILE] [-n SAMPLES] [-d TABLES [-w SECONDS]] [-v]";
    cli.description =
        "Measures the offset of every node's clock against that of rank 0. One rank per node is enough; "
        "where "
        "there\nare more, one of each node is chosen.\n";
    cli.options.add_options()("outfile,o", po::value(&options.outfile)->value_name("FILE"),
                              "where the table goes; default: clock-offsets.txt, with -d clock-drift.txt, in "
                              "OVNI_TRACEDIR or ovni")(
        "samples,n", po::value(&options.samples)->default_value(1000)->value_name("SAMPLES"),
        "exchanges per node, at most; fewer where more would not help")(
        "tables,d", po::value(&options.tables)->default_value(1)->value_name("TABLES"),
        "with more than 1: write how the offsets drift, one row per measurement")(
        "pause,w", po::value(&options.pause_s)->default_value(5)->value_name("SECONDS"),
        "pause after each row")("verbose,v", "print every exchange");
}

void check(const Cli& cli, Options& options) {
    if (!cli.words.empty()) throw UsageError("unexpected word '" + cli.words.front() + "' (see --help)");
    if (options.samples < 1) throw UsageError("-n must be at least 1");
    if (options.tables < 1) throw UsageError("-d must be at least 1");
    if (options.pause_s < 0) throw UsageError("-w must not be negative");
    if (!cli.has("outfile")) options.outfile = default_outfile(options.tables);
    options.verbose = cli.has("verbose");
}

// Opened before the measurement, which may take long, so that a wrong name is found at once.
OutputFile open_output(const std::filesystem::path& path) {
    std::error_code failure;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
    if (failure) throw Error("cannot create: " + failure.message(), path.parent_path());
    if (std::filesystem::is_directory(path)) throw Error("is a directory", path);
    return OutputFile(path);
}

std::vector<Node> list_nodes(const Comm& world, const Comm& leaders) {
    std::vector<std::string> hosts = distinct_host_names(leaders.allgather(host_name()));
    std::vector<int> ranks = leaders.allgather(world.rank());
    std::vector<Node> nodes;
    for (size_t i = 0; i < hosts.size(); ++i) nodes.push_back({ranks[i], hosts[i]});
    return nodes;
}

double wall_time_s() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void warn_of_impossible(const std::vector<Node>& nodes, const std::vector<Estimate>& estimates) {
    for (size_t i = 0; i < nodes.size(); ++i)
        if (!estimates[i].is_possible())
            log::warn("the clock of {} did not run evenly during the measurement", nodes[i].host);
}

// Bursts of about the same length.
Effort effort_of(int samples) {
    constexpr int usual = Effort{}.exchanges;
    constexpr int64_t patience_ns = 60'000'000'000;
    int bursts = (samples + usual - 1) / usual;
    return {(samples + bursts - 1) / bursts, bursts, patience_ns};
}

void print(const std::vector<Sample>& samples, const std::vector<Node>& nodes) {
    for (const Sample& s : samples) {
        const Exchange& e = s.exchange;
        fmt::print("rank={}  sample={}  t1={}  t2={}  t3={}  t4={}  rtt={}\n",
                   nodes[static_cast<size_t>(s.node)].rank, s.number, e.t1, e.t2, e.t3, e.t4, e.round_trip());
    }
}

// The text for the table, on rank 0.
std::string measure(const Comm& leaders, const std::vector<Node>& nodes, const Options& options) {
    Clock clock;
    Survey survey(leaders, clock, effort_of(options.samples),
                  options.verbose ? Keep::samples : Keep::estimates);
    std::string text = options.tables > 1 ? drift_header(nodes) : "";
    for (int i = 0; i < options.tables; ++i) {
        std::vector<Estimate> estimates = survey.measure();
        print(survey.take_samples(), nodes);
        if (leaders.is_root()) {
            warn_of_impossible(nodes, estimates);
            if (options.tables == 1) std::cout << summary(nodes, estimates);
            text += options.tables > 1 ? drift_row(wall_time_s(), estimates) : offset_table(nodes, estimates);
        }
        if (options.tables > 1) ::sleep(static_cast<unsigned>(options.pause_s));
    }
    return text;
}

int sync(const Comm& world, int argc, char** argv) {
    Options options;
    Cli cli;
    describe(cli, options);
    if (parse(world, cli, argc, argv) == Parsed::help_printed) return 0;
    world.agree([&] { check(cli, options); });
    std::optional<OutputFile> output;
    world.agree([&] {
        if (world.is_root()) output.emplace(open_output(options.outfile));
    });

    std::string text;
    Comm leaders = world.split(world.split_by_node().is_root() ? 0 : -1, world.rank());
    if (leaders) text = measure(leaders, list_nodes(world, leaders), options);
    world.barrier_asleep();

    world.agree([&] {
        if (!output) return;
        output->write(text);
        output->commit();
        std::cout << "written: " << options.outfile << std::endl;
    });
    return 0;
}

}  // namespace
}  // namespace ovni::sync

int main(int argc, char** argv) {
    return ovni::run_mpi_main("ovnisync", argc, argv,
                              [&](ovni::Comm& world) { return ovni::sync::sync(world, argc, argv); });
}
