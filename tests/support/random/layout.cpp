#include "tests/support/random/layout.hpp"

#include <algorithm>
#include <numeric>

#include "tests/support/random/metadata.hpp"

namespace ovni::test::random_trace {

namespace {

constexpr int first_pid = 9, first_tid = 97;

int hosts(const World& world) {
    return world.what.hosts > 0 ? world.what.hosts : world.what.looms;
}

std::string host_name(int host) {
    return "node" + std::to_string(host);
}

// Looms of one host differ in what follows the dot; their order by name is not that of their numbers.
std::string loom_name(const World& world, int loom) {
    int turn = loom / hosts(world);
    std::string suffix = turn == 0 ? "x" : "job" + std::to_string(world.what.looms - turn);
    return host_name(loom % hosts(world)) + "." + suffix;
}

bool ranked(const World& world, int loom) {
    return world.what.ranks == Ranks::all || (world.what.ranks == Ranks::mixed && loom % 2 == 0);
}

// Neither the indices nor the physical ids are in the order of the other.
std::vector<std::pair<int, int>> some_cpus(World& world) {
    std::vector<int> phyids(static_cast<size_t>(3 * world.what.cpus));
    std::iota(phyids.begin(), phyids.end(), 0);
    world.dice.shuffle(phyids);
    std::vector<std::pair<int, int>> cpus(static_cast<size_t>(world.what.cpus));
    for (size_t i = 0; i < cpus.size(); ++i) cpus[i] = {static_cast<int>(i), phyids[i]};
    return cpus;
}

void add_process(World& world, int loom_number, int number) {
    Loom& loom = world.looms.back();
    int global = loom_number * world.what.processes + number;
    std::optional<int> rank;
    if (ranked(world, loom_number)) rank = world.what.looms * world.what.processes - 1 - global;
    Process& process = loom.processes.emplace_back(Process{
        .number = number, .pid = first_pid + number, .rank = rank, .app_id = 1 + global % world.what.apps});
    for (int i = 0; i < world.what.threads; ++i) {
        int before = world.what.equal_tids ? 0 : number * world.what.threads;
        world.threads.emplace_back(world, loom, process, first_tid + before + i);
    }
}

void add_looms(World& world) {
    for (int i = 0; i < world.what.looms; ++i) {
        Loom& loom = world.looms.emplace_back();
        loom.name = loom_name(world, i);
        loom.cpus = some_cpus(world);
        loom.running.resize(loom.cpus.size());
        for (int process = 0; process < world.what.processes; ++process) add_process(world, i, process);
    }
}

// Hosts that the table does not name keep their clocks; it names at least one, and none without looms.
void add_clock_offsets(World& world, TraceBuilder& trace) {
    std::vector<std::pair<std::string, int64_t>> table;
    for (int host = 0; host < std::min(hosts(world), world.what.looms); ++host) {
        if (host > 0 && world.dice.percent(20)) continue;
        int64_t offset = world.dice.below(2 * Timeline::offsets_below - 1) - Timeline::offsets_below + 1;
        table.emplace_back(host_name(host), offset);
        for (int loom = host; loom < world.what.looms; loom += hosts(world))
            world.looms[static_cast<size_t>(loom)].clock_offset = offset;
    }
    trace.clock_offsets(table);
}

}  // namespace

void lay_out(World& world, TraceBuilder& trace) {
    make_marks(world);
    add_looms(world);
    if (world.what.clock_offsets && world.what.looms > 0) add_clock_offsets(world, trace);
    for (Thread& thread : world.threads) add_stream(thread, trace);
}

}  // namespace ovni::test::random_trace
