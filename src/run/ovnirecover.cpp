// ovnirecover: writes the events that processes left in run directories without a drainer.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/topics.hpp"
#include "base/typed_options.hpp"
#include "core/parse_number.hpp"
#include "drain/drainer.hpp"
#include "ovni/format.h"
#include "ring/stream_note.hpp"
#include "run/census.hpp"
#include "run/moved_trace.hpp"
#include "run/owner.hpp"
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

std::string size_text(uint64_t bytes) {
    constexpr uint64_t kilobyte = 1024;
    return bytes < kilobyte ? fmt::format("{} bytes", bytes) : fmt::format("{} kB", bytes / kilobyte);
}

void print_no_run_directory() {
    log::info(
        "no run directory of yours is on this node; a job with another OVNI_RUNDIR or TMPDIR may have one "
        "there");
}

// ", program ./app, trace /home/me/ovni", from the first stream that has it.
std::string program_and_trace(const writer::Session& session) {
    for (uint32_t number = 0; number < session.header().rings.load(); ++number) {
        const auto note = writer::StreamNote::read(session.note_path(number));
        if (!note) continue;
        const auto command = writer::Json::json_pointer("/ovni/command/0");
        const bool is_recorded = note->metadata.contains(command) && note->metadata[command].is_string();
        return fmt::format(", program {}, trace {}",
                           is_recorded ? note->metadata[command].get<std::string>() : "unknown",
                           note->roots.trace);
    }
    return "";
}

void list() {
    const std::vector<fs::path> found = run_directories();
    if (found.empty()) print_no_run_directory();
    for (const fs::path& directory : found) {
        writer::Session session = writer::Session::open(directory.string());
        if (!session.is_valid()) continue;
        std::vector<writer::Ring> rings = rings_in(session);
        Census all = census(session, rings);
        fmt::print("{}  {} rings of {} processes, {} alive, {} not written yet, job {}, {} old{}\n",
                   directory.string(), rings.size(), all.processes, all.alive, size_text(all.pending),
                   name_of_run(directory).job, age_of(directory), program_and_trace(session));
    }
}

// Without the headers of the streams.
uint64_t bytes_in_streams(const std::vector<writer::Ring>& rings) {
    constexpr uint64_t header = OVNI_FORMAT_STREAM_HEADER;
    uint64_t bytes = 0;
    for (const writer::Ring& ring : rings)
        bytes += std::max(ring.header().progress[ring.header().current.load() % 2].file_end, header) - header;
    return bytes;
}

// False where something could not be written, which is kept.
bool recover(const fs::path& directory) {
    writer::Session session = open(directory);
    // Threads of a process that was killed a moment ago may be in the middle of something.
    for (int wait = 0; !session.lock(); ++wait) {
        if (wait == 50) throw Error("another process still drains it", directory.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::vector<writer::Ring> rings = rings_in(session);
    uint64_t before = bytes_in_streams(rings);
    const std::vector<MovedTrace> moved = follow_moved_traces(session);
    writer::Drainer drainer(session);
    bool empty = drainer.finish_dead();
    size_t kept = drainer.stuck();
    const bool lives_on = std::ranges::any_of(rings, [](const writer::Ring& ring) {
        return !is_over(ring.header()) && owner_lives(ring.header());
    });
    drainer.resign();
    print_moved_traces(moved);
    fmt::print("{}: {} streams, {} written{}\n", directory.string(), rings.size() - kept,
               size_text(bytes_in_streams(rings) - before), lives_on ? ", some processes live on" : "");
    if (empty) session.remove();
    if (kept > 0)
        log::error(
            "{}: {} streams cannot be written, their events are kept: make room for them and try again{}",
            directory.string(), kept,
            lives_on ? "" : fmt::format(", or give them up: ovnirecover --discard '{}'", directory.string()));
    return kept == 0;
}

// Throws away what is in it. Processes that live keep it.
void discard(const fs::path& directory) {
    writer::Session session = open(directory);
    if (!session.lock()) throw Error("another process still drains it, so it is kept", directory.string());
    const std::vector<writer::Ring> rings = rings_in(session);
    const Census all = census(session, rings);
    if (all.alive > 0)
        throw Error(fmt::format("{} processes of it live, so it is kept", all.alive), directory.string());
    session.remove();
    std::error_code fault;
    fs::remove_all(directory, fault);
    if (fault) throw Error(fault.message(), directory.string());
    fmt::print("{}: {} streams given up, {} not written\n", directory.string(), rings.size(),
               size_text(all.pending));
}

// Waits for one whole pass: then what threads emitted into a buffer that they share is in their rings.
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

// Brings the streams of running processes up to date, and makes them readable.
void write_out(const fs::path& directory) {
    writer::Session session = open(directory);
    if (!session.is_served()) throw Error("no process drains it", directory.string());
    wait_for_pass(session);
    std::vector<writer::Ring> rings = rings_in(session);
    std::erase_if(rings, [](const writer::Ring& ring) { return !owner_lives(ring.header()); });
    std::erase_if(rings, [](const writer::Ring& ring) {
        const writer::RingHeader& header = ring.header();
        const bool is_empty = header.published.load() <= header.begin_bytes.load() &&
                              header.at_once.load() == 0 &&
                              header.progress[header.current.load() % 2].file_end == 0;
        return is_empty && header.state.load() == writer::RingState::open;
    });
    const size_t unknown = std::erase_if(rings, [](const writer::Ring& ring) {
        return ring.header().place.load() == writer::RingPlace::unknown;
    });
    std::vector<uint64_t> wanted;
    std::vector<uint32_t> readings;
    for (const writer::Ring& ring : rings) {
        wanted.push_back(ring.header().published.load(std::memory_order_acquire));
        ask_for(ring.header(), wanted.back());
        readings.push_back(ring.header().readings.fetch_add(1) + 1);
    }
    auto is_written = [&](size_t i) {
        const writer::RingHeader& header = rings[i].header();
        const bool is_readable =
            static_cast<int32_t>(header.readings_made.load(std::memory_order_acquire) - readings[i]) >= 0;
        return (header.drained.load(std::memory_order_acquire) >= wanted[i] && is_readable) ||
               header.state.load(std::memory_order_acquire) == writer::RingState::done ||
               !owner_lives(header);
    };
    const auto is_refused = [&](size_t i) {
        return rings[i].header().refused.load() >= std::max<uint64_t>(wanted[i], 1);
    };
    constexpr int longest_wait = 1000;  // of 10 ms, without progress
    uint64_t seen = 0;
    size_t refused = 0;
    for (size_t i = 0, wait = 0; i < rings.size();) {
        if (is_written(i) || is_refused(i)) {
            refused += !is_written(i);
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
    fmt::print("{}: {} streams written out\n", directory.string(), rings.size() - refused);
    if (unknown > 0)
        log::warn("{}: {} streams are not on disk before MPI_Init ends", directory.string(), unknown);
    if (refused > 0)
        throw Error(
            fmt::format("the disk has no room for {} streams: what is missing stays in memory until that "
                        "is half full, so make room and try again",
                        refused),
            directory.string());
}

enum class Task { recover, write_out, discard };

struct Options {
    bool all = false, lists = false, several_jobs = false;
    std::optional<std::string> job;
    std::optional<int> pid;
    Task task = Task::recover;
    std::vector<std::string> directories;

    bool chooses() const { return all || job || pid; }
    bool wants_living() const { return task == Task::write_out; }
};

// One bad directory does not stop the rest.
bool try_one(const std::string& directory, Task task) {
    try {
        return as_owner(directory, [&](const fs::path& place) {
            if (task == Task::recover) return recover(place);
            task == Task::discard ? discard(place) : write_out(place);
            return true;
        });
    } catch (const Error& error) {
        log::error("{}", error.what());
        return false;
    }
}

int number_of_process(const std::string& pid) {
    const int number = parse_number<int>(pid).value_or(0);
    if (number <= 0) throw UsageError("--pid is the number of a process, not '" + pid + "'");
    return number;
}

constexpr TypedOption<Options> rows[] = {
    {{"all", "a", "", "", "All abandoned run directories of this user; with -w, those of running programs."},
     choose<&Options::all, true>},
    {{"job", "", "JOB", "", "Of these, those of a job, as --list names it."}, store<&Options::job>},
    {{"pid", "", "PID", "", "Of these, those of an ovnirun, or of a process that it runs."},
     store_parsed<&Options::pid, number_of_process>},
    {{"yes", "", "", "", "With --all: of several jobs, too."}, choose<&Options::several_jobs, true>},
    {{"write-out", "w", "", "",
      R"(Bring the traces of running processes up to date, including events that flight recorders keep:
     then they can be emulated, and show the calls that are open now. Needs --job, --pid, --all or directories.)"},
     choose<&Options::task, Task::write_out>},
    {{"discard", "", "", "", "Discard their events instead. Needs --job, --pid, --all or directories."},
     choose<&Options::task, Task::discard>},
    {{"list", "l", "", "", "Print the run directories of this user. This is the default."},
     choose<&Options::lists, true>},
};

Cli recover_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnirecover",
        .summary = "write the events that killed programs left in memory",
        .usage = "ovnirecover [--list | [--write-out | --discard] [--all | --job JOB | --pid PID | DIR...]]",
        .words = "DIR",
        .description =
            R"(Writes the events that traced processes left in memory when they and their ovnirun were killed, and
ends their streams. Run it on the node of the processes, as their user; root acts as the owner of a DIR. Run directories
lie in ovni-UID, below OVNI_RUNDIR, /dev/shm, TMPDIR or /tmp.)",
        .options = {},
        .lists = "",
        .topics = {&topics::trouble},
    };
    append_rows(cli.manual.options, rows);
    return cli;
}

bool has_process(const fs::path& directory, int pid) {
    if (name_of_run(directory).pid == pid) return true;
    const writer::Session session = writer::Session::open(directory.string());
    return session.is_valid() && std::ranges::any_of(rings_in(session), [&](const writer::Ring& ring) {
               return ring.header().pid == pid;
           });
}

// The run directories without a drainer, or those with one.
std::vector<std::string> chosen(const Options& options) {
    std::vector<std::string> directories;
    std::set<std::string> jobs;
    const bool living = options.wants_living();
    for (const fs::path& directory : run_directories()) {
        const bool is_meant = options.job   ? name_of_run(directory).job == *options.job
                              : options.pid ? has_process(directory, *options.pid)
                                            : true;
        if (!is_meant || is_abandoned(directory) == living) continue;
        directories.push_back(directory.string());
        jobs.insert(name_of_run(directory).job);
    }
    if (directories.empty() && !options.all)
        throw Error(
            living ? "no program that runs has a run directory of it here (see --list)"
                   : "it has no abandoned run directory here (see --list); if it still runs, use --write-out",
            options.job ? "job " + *options.job : fmt::format("process {}", *options.pid));
    if (run_directories().empty())
        print_no_run_directory();
    else if (directories.empty())
        log::info("{}",
                  living ? "no program that runs has a run directory here (see --list)"
                         : "nothing is abandoned here (see --list); of programs that still run: --write-out");
    if (options.all && jobs.size() > 1 && !options.several_jobs)
        throw UsageError(
            fmt::format("run directories of {} jobs are here: {}; choose one with --job, or take "
                        "all with --all --yes",
                        jobs.size(), fmt::join(jobs, ", ")));
    return directories;
}

Options read_options(const Cli& cli) {
    Options options;
    options.directories = cli.words;
    take_options(rows, cli, options);
    const bool has_task = options.task != Task::recover, has_directories = !options.directories.empty();
    const int choices =
        options.lists + options.all + options.job.has_value() + options.pid.has_value() + has_directories;
    if (choices > 1 || (has_task && options.lists))
        throw UsageError("one of --list, --all, --job, --pid or directories (see --help)");
    if (cli.has("write-out") && cli.has("discard"))
        throw UsageError("--write-out or --discard: choose one (see --help)");
    if (has_task && choices == 0)
        throw UsageError(fmt::format("--{} of what? --job, --pid, --all or a directory (see --list)",
                                     options.wants_living() ? "write-out" : "discard"));
    return options;
}

int run(int argc, char** argv) {
    Cli cli = recover_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    make_file_limit_an_error();
    const Options options = read_options(cli);
    const std::vector<std::string> directories = options.chooses() ? chosen(options) : options.directories;
    if (!options.chooses() && directories.empty()) list();
    bool all_well = true;
    for (const std::string& directory : directories) all_well = try_one(directory, options.task) && all_well;
    return all_well ? 0 : 1;
}

}  // namespace

}  // namespace ovni::run

int main(int argc, char** argv) {
    return ovni::run_main("ovnirecover", [&] { return ovni::run::run(argc, argv); });
}
