#include "mpi/comm/main.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "base/standard_output.hpp"
#include "core/launcher.hpp"

namespace ovni {

namespace {

void print(const char* what) {
    if (*what != '\0') log::error("{}", what);
}

// The first line of what the MPI library says about itself.
std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string_view version(text.data());
    version = version.substr(0, version.find_first_of(",\n"));
    constexpr std::string_view title = " Version:\t";  // of MPICH
    const size_t at = version.find(title);
    if (at == version.npos) return std::string(version);
    return fmt::format("{} {}", version.substr(0, at), version.substr(at + title.size()));
}

// Rank 0 prints.
Parsed parse_together(const Comm& world, Cli& cli, int argc, char** argv) {
    return world.agree([&] {
        if (world.is_root()) return parse(cli, argc, argv);
        std::ostringstream nowhere;
        auto* screen = std::cout.rdbuf(nowhere.rdbuf());
        struct Restore {
            std::streambuf* screen;
            ~Restore() { std::cout.rdbuf(screen); }
        } restore{screen};
        return parse(cli, argc, argv);
    });
}

// Builds run this on machines that may be unable to start MPI.
bool prints_manual(const Cli& cli, int argc, char** argv) {
    if (argc != 2 || std::string_view(argv[1]) != "--manual") return false;
    std::cout << manual_as_json(cli.manual) << std::flush;
    return true;
}

// srun sets its variables in the script of a batch job, too, where they are no rank's.
int processes_by_launcher() {
    const Launcher* launcher = launcher_of_process();
    const bool is_script =
        launcher && launcher->rank == std::string_view("SLURM_PROCID") && !std::getenv("SLURM_STEP_ID");
    return is_script ? 1 : size_by_launcher();
}

// A process whose MPI is not that of its launcher takes itself for the whole job.
void refuse_foreign_launcher(const Comm& world) {
    const int processes = processes_by_launcher();
    if (world.size() > 1 || processes <= 1) return;
    throw Stopped(is_first_rank()
                      ? fmt::format("started as {} processes that {} does not know as one job: use its "
                                    "launcher, or the ovni-mpi that is built for the launcher's MPI",
                                    processes, mpi_version())
                      : "",
                  2);
}

int run_body(Cli& cli, Comm& world, int argc, char** argv, const std::function<int(Comm& world)>& body) {
    try {
        const Parsed parsed = parse_together(world, cli, argc, argv);
        if (parsed == Parsed::go_on) refuse_foreign_launcher(world);
        int status = parsed == Parsed::go_on ? body(world) : 0;
        world.agree(flush_stdout);
        return status;
    } catch (const Stopped& e) {
        print(e.what());
        return e.status;
    } catch (const std::exception& e) {
        print(e.what());
    } catch (...) {
        print("unknown failure");
    }
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}

}  // namespace

int run_mpi_main(Cli& cli, int argc, char** argv, const std::function<int(Comm& world)>& body) {
    if (prints_manual(cli, argc, argv)) return 0;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    Comm world = Comm::world();
    log::set_program(cli.manual.program);
    if (!world.is_root()) log::print_from(log::Level::error);
    cli.libraries = fmt::format("MPI: {}\n", mpi_version());
    int status = run_body(cli, world, argc, argv, body);
    std::fflush(stdout);
    // The launcher may end the other ranks when one leaves with a status, so none leaves before all have
    // written.
    MPI_Finalize();
    return status;
}

}  // namespace ovni
