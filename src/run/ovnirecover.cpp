// ovnirecover: writes out what processes left in run directories that nobody drains any more.
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
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
        Drainer drainer(session);
        Drainer::Census census = drainer.census();
        fmt::print("{}  {} rings of {} processes, {} alive, {} kB not written yet\n", directory.string(),
                   census.rings, census.processes, census.alive, census.pending / 1024);
    }
}

void recover(const fs::path& directory) {
    Session session = open(directory);
    // Threads of a process that was killed a moment ago may be in the middle of something.
    for (int wait = 0; !session.lock(); ++wait) {
        if (wait == 50) throw Error("somebody drains it still", directory.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    Drainer drainer(session);
    Drainer::Census census = drainer.census();
    bool empty = drainer.finish_dead();
    drainer.resign();
    fmt::print("{}: {} streams, {} kB written{}\n", directory.string(), census.rings, census.pending / 1024,
               empty ? "" : ", some processes live on");
    if (empty) session.remove();
}

int run(int argc, char** argv) {
    Cli cli;
    cli.usage = "ovnirecover [--list | --all | DIR...]";
    cli.description =
        "Writes out what traced processes left in memory when they and their drainer were killed, and ends "
        "their\n"
        "streams. Run directories lie in ovni-<uid> below OVNI_RUNDIR, /dev/shm, TMPDIR or /tmp; --list is "
        "the default.";
    cli.options.add_options()("all,a", "all run directories of this user that nobody drains");
    cli.options.add_options()("list,l", "print the run directories of this user");
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    std::vector<std::string> directories = cli.words;
    if (cli.has("list") + cli.has("all") + !directories.empty() > 1)
        throw UsageError("--list, --all or directories (see --help)");
    if (cli.has("all")) {
        for (const fs::path& directory : run_directories())
            if (is_abandoned(directory)) directories.push_back(directory.string());
    } else if (directories.empty()) {
        list();
    }
    for (const std::string& directory : directories) recover(directory);
    return 0;
}

}  // namespace

}  // namespace ovni::run

int main(int argc, char** argv) {
    return ovni::run_main("ovnirecover", [&] { return ovni::run::run(argc, argv); });
}
