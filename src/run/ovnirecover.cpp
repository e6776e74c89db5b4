// ovnirecover: writes out what processes left in run directories that nobody drains any more.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "run/census.hpp"
#include "run/run_directories.hpp"
#include "runtime/drainer.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

Session open(const fs::path& directory) {
    Session session = Session::open(fs::absolute(directory).string());
    if (!session.is_valid()) throw system_error("no run directory", directory.string());
    return session;
}

void list() {
    for (const fs::path& directory : run_directories()) {
        Session session = Session::open(directory.string());
        if (!session.is_valid()) continue;
        std::vector<Ring> rings = rings_in(session);
        Census all = census(rings);
        fmt::print("{}  {} rings of {} processes, {} alive, {} kB not written yet\n", directory.string(),
                   rings.size(), all.processes, all.alive, all.pending / 1024);
    }
}

void recover(const fs::path& directory) {
    Session session = open(directory);
    // Threads of a process that was killed a moment ago may be in the middle of something.
    for (int wait = 0; !session.lock(); ++wait) {
        if (wait == 50) throw Error("somebody drains it still", directory.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::vector<Ring> rings = rings_in(session);
    uint64_t pending = census(rings).pending;
    Drainer drainer(session);
    bool empty = drainer.finish_dead();
    drainer.resign();
    fmt::print("{}: {} streams, {} kB written{}\n", directory.string(), rings.size(), pending / 1024,
               empty ? "" : ", some processes live on");
    if (empty) session.remove();
}

// From begin to end: then what threads emitted into a buffer that they share is in their rings.
void wait_for_pass(const Session& session) {
    constexpr int begun = 2, longest_wait = 1000;  // ms
    const std::atomic<uint64_t>& heartbeat = session.header().heartbeat;
    uint64_t latest = heartbeat.load();
    for (int beats = 0, wait = 0; beats < begun && wait < longest_wait; ++wait) {
        session.ring_doorbell();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (uint64_t now = heartbeat.load(); now != latest) {
            latest = now;
            ++beats;
        }
    }
}

// Of processes that run: what their flight recorders keep.
void write_out(const fs::path& directory) {
    Session session = open(directory);
    if (!session.is_served()) throw Error("nobody drains it", directory.string());
    wait_for_pass(session);
    std::vector<Ring> rings = rings_in(session);
    std::erase_if(rings, [](const Ring& ring) { return !owner_lives(ring.header()); });
    std::vector<uint64_t> wanted;
    for (const Ring& ring : rings) {
        wanted.push_back(ring.header().published.load(std::memory_order_acquire));
        ask_for(ring.header(), wanted.back());
    }
    auto is_written = [&](size_t i) {
        const RingHeader& header = rings[i].header();
        return header.drained.load(std::memory_order_acquire) >= wanted[i] ||
               header.state.load(std::memory_order_acquire) == RingState::done || !owner_lives(header);
    };
    for (size_t i = 0, wait = 0; i < rings.size();) {
        if (is_written(i)) {
            ++i;
            continue;
        }
        if (++wait == 1000) throw Error("its drainer does not answer", directory.string());
        session.ring_doorbell();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    fmt::print("{}: {} streams written out\n", directory.string(), rings.size());
}

int run(int argc, char** argv) {
    Cli cli;
    cli.usage = "ovnirecover [--list | [--write-out] [--all | DIR...]]";
    cli.description =
        "Writes out what traced processes left in memory when they and their drainer were killed, and ends "
        "their\n"
        "streams. Run directories lie in ovni-<uid> below OVNI_RUNDIR, /dev/shm, TMPDIR or /tmp; --list is "
        "the default.";
    cli.options.add_options()(
        "all,a", "all run directories of this user that nobody drains; with -w, that somebody does");
    cli.options.add_options()("write-out,w", "of processes that run: what their flight recorders keep");
    cli.options.add_options()("list,l", "print the run directories of this user");
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    std::vector<std::string> directories = cli.words;
    bool living = cli.has("write-out");
    if (cli.has("list") + cli.has("all") + !directories.empty() > 1 || (living && cli.has("list")))
        throw UsageError("--list, --all or directories (see --help)");
    if (cli.has("all") || (living && directories.empty())) {
        for (const fs::path& directory : run_directories())
            if (is_abandoned(directory) != living) directories.push_back(directory.string());
    } else if (directories.empty()) {
        list();
    }
    for (const std::string& directory : directories) living ? write_out(directory) : recover(directory);
    return 0;
}

}  // namespace

}  // namespace ovni::run

int main(int argc, char** argv) {
    return ovni::run_main("ovnirecover", [&] { return ovni::run::run(argc, argv); });
}
