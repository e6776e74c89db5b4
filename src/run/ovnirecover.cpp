// ovnirecover: writes out what processes left in run directories that nobody drains any more.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "drain/drainer.hpp"
#include "run/census.hpp"
#include "run/moved_trace.hpp"
#include "run/run_directories.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

writer::Session open(const fs::path& directory) {
    writer::Session session = writer::Session::open(fs::absolute(directory).string());
    if (session.is_valid()) return session;
    int cause = errno;
    if (fs::is_directory(directory) && !fs::exists(directory / "session"))
        throw Error("is no run directory: there is no file 'session' in it", directory.string());
    errno = cause;
    throw system_error("no run directory", directory.string());
}

void list() {
    for (const fs::path& directory : run_directories()) {
        writer::Session session = writer::Session::open(directory.string());
        if (!session.is_valid()) continue;
        std::vector<writer::Ring> rings = rings_in(session);
        Census all = census(session, rings);
        fmt::print("{}  {} rings of {} processes, {} alive, {} kB not written yet\n", directory.string(),
                   rings.size(), all.processes, all.alive, all.pending / 1024);
    }
}

uint64_t bytes_in_streams(const std::vector<writer::Ring>& rings) {
    uint64_t bytes = 0;
    for (const writer::Ring& ring : rings)
        bytes += ring.header().progress[ring.header().current.load() % 2].file_end;
    return bytes;
}

// False where something could not be written, which is kept.
bool recover(const fs::path& directory) {
    writer::Session session = open(directory);
    // Threads of a process that was killed a moment ago may be in the middle of something.
    for (int wait = 0; !session.lock(); ++wait) {
        if (wait == 50) throw Error("somebody drains it still", directory.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::vector<writer::Ring> rings = rings_in(session);
    uint64_t before = bytes_in_streams(rings);
    follow_moved_traces(session);
    writer::Drainer drainer(session);
    bool empty = drainer.finish_dead();
    size_t kept = drainer.stuck();
    drainer.resign();
    fmt::print("{}: {} streams, {} kB written{}\n", directory.string(), rings.size() - kept,
               (bytes_in_streams(rings) - before) / 1024,
               empty || kept > 0 ? "" : ", some processes live on");
    if (empty) session.remove();
    if (kept > 0)
        log::error("{}: {} streams cannot be written, their events are kept", directory.string(), kept);
    return kept == 0;
}

// From begin to end: then what threads emitted into a buffer that they share is in their rings.
void wait_for_pass(const writer::Session& session) {
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
    writer::Session session = open(directory);
    if (!session.is_served()) throw Error("nobody drains it", directory.string());
    wait_for_pass(session);
    std::vector<writer::Ring> rings = rings_in(session);
    std::erase_if(rings, [](const writer::Ring& ring) { return !owner_lives(ring.header()); });
    // Their threads have not settled yet where they go, which they do at the latest when they half fill a
    // buffer.
    size_t unsettled = std::erase_if(rings, [](const writer::Ring& ring) {
        return ring.header().placed.load() == 0 && ring.header().state.load() == writer::RingState::open;
    });
    std::vector<uint64_t> wanted;
    for (const writer::Ring& ring : rings) {
        wanted.push_back(ring.header().published.load(std::memory_order_acquire));
        ask_for(ring.header(), wanted.back());
    }
    auto is_written = [&](size_t i) {
        const writer::RingHeader& header = rings[i].header();
        return header.drained.load(std::memory_order_acquire) >= wanted[i] ||
               header.state.load(std::memory_order_acquire) == writer::RingState::done ||
               !owner_lives(header);
    };
    constexpr int longest_wait = 1000;  // of 10 ms, without progress
    uint64_t seen = 0;
    for (size_t i = 0, wait = 0; i < rings.size();) {
        if (is_written(i)) {
            ++i;
            continue;
        }
        uint64_t drained = rings[i].header().drained.load(std::memory_order_acquire);
        wait = drained == seen ? wait + 1 : 0;
        seen = drained;
        if (wait == longest_wait) throw Error("its drainer does not answer", directory.string());
        session.ring_doorbell();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    fmt::print("{}: {} streams written out\n", directory.string(), rings.size());
    if (unsettled > 0)
        log::warn("{}: {} streams with few events are not on disk yet", directory.string(), unsettled);
}

// Trouble with one is none of the others.
bool try_one(const std::string& directory, bool living) {
    try {
        if (!living) return recover(directory);
        write_out(directory);
        return true;
    } catch (const Error& error) {
        log::error("{}", error.what());
        return false;
    }
}

constexpr OptionRow rows[] = {
    {"all", "a", "", "",
     "All run directories of this user that nobody drains; with -w, all that somebody drains."},
    {"write-out", "w", "", "", "Write out what the flight recorders of running processes keep."},
    {"list", "l", "", "", "Print the run directories of this user. This is the default."},
};

Cli recover_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnirecover",
        .summary = "write out what killed programs left in memory",
        .usage = "ovnirecover [--list | [--write-out] [--all | DIR...]]",
        .words = "DIR",
        .description =
            R"(Writes out what traced processes left in memory when they and their ovnirun were killed, and
ends their streams. Run it on the node of the processes. Run directories lie in ovni-UID, below OVNI_RUNDIR, /dev/shm,
TMPDIR or /tmp.)",
        .options = {std::begin(rows), std::end(rows)},
        .lists = "",
        .topics = {},
    };
    return cli;
}

int run(int argc, char** argv) {
    Cli cli = recover_cli();
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
    bool all_well = true;
    for (const std::string& directory : directories) all_well = try_one(directory, living) && all_well;
    return all_well ? 0 : 1;
}

}  // namespace

}  // namespace ovni::run

int main(int argc, char** argv) {
    return ovni::run_main("ovnirecover", [&] { return ovni::run::run(argc, argv); });
}
