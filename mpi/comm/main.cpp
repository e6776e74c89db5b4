#include "mpi/comm/main.hpp"

#include <array>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/standard_output.hpp"

namespace ovni {

namespace {

void print(const std::string& tool, const char* what) {
    if (*what != '\0') fmt::print(stderr, "{}: ERROR: {}\n", tool, message_text(what));
}

// The first line of what the MPI library says about itself.
std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string_view version(text.data());
    return std::string(version.substr(0, version.find_first_of(",\n")));
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

int run_body(Cli& cli, Comm& world, int argc, char** argv, const std::function<int(Comm& world)>& body) {
    const std::string tool(cli.manual.program);
    try {
        int status = parse_together(world, cli, argc, argv) == Parsed::go_on ? body(world) : 0;
        world.agree(flush_stdout);
        return status;
    } catch (const Stopped& e) {
        print(tool, e.what());
        return e.status;
    } catch (const std::exception& e) {
        print(tool, e.what());
    } catch (...) {
        print(tool, "unknown failure");
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
    if (!world.is_root()) log::only_errors();
    cli.libraries = fmt::format("MPI: {}\n", mpi_version());
    int status = run_body(cli, world, argc, argv, body);
    std::fflush(stdout);
    // The launcher may end the other ranks when one leaves with a status, so none leaves before all have
    // written.
    MPI_Finalize();
    return status;
}

}  // namespace ovni
