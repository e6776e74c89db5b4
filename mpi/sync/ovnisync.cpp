// ovnisync: measures by how much the clocks of the nodes differ, for the emulator to correct.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/file.hpp"
#include "base/log.hpp"
#include "core/time_offsets.hpp"
#include "mpi/comm/host_names.hpp"
#include "mpi/comm/main.hpp"
#include "mpi/sync/interruption.hpp"
#include "mpi/sync/options.hpp"
#include "mpi/sync/samples_file.hpp"
#include "mpi/sync/survey.hpp"
#include "mpi/sync/table.hpp"

namespace ovni::sync {
namespace {

// Opened before the measurement, which may take long, so that a wrong name is found at once.
OutputFile open_output(const std::filesystem::path& path) {
    std::error_code failure;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
    if (failure) throw Error("cannot create: " + failure.message(), path.parent_path());
    if (std::filesystem::is_directory(path)) throw Error("is a directory", path);
    return OutputFile(path);
}

struct Outputs {
    Interruption interruption;  // for the files below
    OutputFile table, clocks;
    std::optional<OutputFile> samples;
    explicit Outputs(const Options& options)
        : table(open_output(options.outfile)), clocks(open_output(options.clock_file())) {
        interruption.remove(table);
        interruption.remove(clocks);
        if (options.samples_file.empty()) return;
        samples.emplace(open_output(options.samples_file));
        interruption.remove(*samples);
    }
};

std::vector<Node> list_nodes(const Comm& world, const Comm& leaders) {
    std::vector<std::string> hosts = distinct_host_names(leaders.allgather(host_name()));
    std::vector<int> ranks = leaders.allgather(world.rank());
    std::vector<int64_t> offsets = leaders.allgather(read_time_offsets().monotonic);
    std::vector<Node> nodes;
    for (size_t i = 0; i < hosts.size(); ++i) nodes.push_back({ranks[i], hosts[i], offsets[i]});
    return nodes;
}

double wall_time_s() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void print(const std::vector<Sample>& samples, const std::vector<Node>& nodes) {
    for (const Sample& s : samples) {
        const Exchange& e = s.exchange;
        fmt::print("rank={}  sample={}  t1={}  t2={}  t3={}  t4={}  rtt={}\n",
                   nodes[static_cast<size_t>(s.node)].rank, s.number, e.t1, e.t2, e.t3, e.t4, e.round_trip());
    }
}

// All results of the measurement, on rank 0.
struct Findings {
    std::vector<Node> nodes;
    std::vector<Round> runs;
    std::vector<Corridor> corridors;
    std::vector<Sample> samples;  // if they are to be written
};

// `outputs`: those of rank 0, else null.
Findings measure(const Comm& leaders, std::vector<Node> nodes, const Options& options, Outputs* outputs) {
    Clock clock;
    bool has_file = !options.samples_file.empty();
    Survey survey(leaders, clock, options.effort(),
                  options.verbose || has_file ? Keep::samples : Keep::estimates);
    Findings found{std::move(nodes), {}, {}, {}};
    bool is_drift = options.tables > 1;
    if (outputs && is_drift) outputs->table.write(drift_header(found.nodes));
    for (int i = 0; i < options.tables; ++i) {
        Round run = survey.measure();
        std::vector<Sample> samples = survey.take_samples();
        if (options.verbose) print(samples, found.nodes);
        if (has_file) found.samples.insert(found.samples.end(), samples.begin(), samples.end());
        if (outputs)
            outputs->table.write(is_drift ? drift_row(wall_time_s(), run) : offset_table(found.nodes, run));
        // Rows of drift are worth keeping even if no more follow.
        if (outputs && is_drift) outputs->interruption.keep_first();
        found.runs.push_back(std::move(run));
        if (is_drift) ::sleep(static_cast<unsigned>(options.pause_s));
    }
    found.corridors = survey.gather_corridors();
    return found;
}

void report(const Findings& found, const Options& options, Outputs& outputs) {
    NodeClocks clocks = node_clocks(found.nodes, found.runs, found.corridors);
    std::cout << summary(clocks, found.runs);
    for (const std::string& doubt : doubts(clocks, found.runs)) log::warn("{}", doubt);
    outputs.clocks.write(clock_file_text(clocks.file()));
    if (outputs.samples) outputs.samples->write(samples_file(found.nodes, found.samples));
    outputs.table.commit();
    outputs.clocks.commit();
    std::cout << "written: " << options.outfile << ", " << options.clock_file().string();
    if (outputs.samples) {
        outputs.samples->commit();
        std::cout << ", " << options.samples_file;
    }
    std::cout << std::endl;
}

int sync(const Comm& world, const Cli& cli) {
    make_file_limit_an_error();
    const Options options = world.agree([&] { return read_options(cli); });
    std::optional<Outputs> outputs;
    world.agree([&] {
        if (world.is_root()) outputs.emplace(options);
    });

    std::optional<Findings> found;
    Comm leaders = world.split(world.split_by_node().is_root() ? 0 : -1, world.rank());
    if (leaders) found = measure(leaders, list_nodes(world, leaders), options, outputs ? &*outputs : nullptr);
    world.barrier_asleep();

    world.agree([&] {
        if (world.is_root()) report(*found, options, *outputs);
    });
    return 0;
}

}  // namespace
}  // namespace ovni::sync

int main(int argc, char** argv) {
    ovni::Cli cli = ovni::sync::sync_cli();
    return ovni::run_mpi_main(cli, argc, argv,
                              [&](ovni::Comm& world) { return ovni::sync::sync(world, cli); });
}
