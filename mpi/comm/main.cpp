#include "mpi/comm/main.hpp"

#include <cstdio>
#include <iostream>
#include <sstream>

#include "base/log.hpp"
#include "base/standard_output.hpp"

namespace ovni {

namespace {

void print(const char* tool, const char* what) {
    if (*what != '\0') fmt::print(stderr, "{}: {}\n", tool, what);
}

int run_body(const char* tool, Comm& world, const std::function<int(Comm& world)>& body) {
    try {
        int status = body(world);
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

int run_mpi_main(const char* tool, int argc, char** argv, const std::function<int(Comm& world)>& body) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    Comm world = Comm::world();
    log::set_program(tool);
    if (!world.is_root()) log::only_errors();
    int status = run_body(tool, world, body);
    std::fflush(stdout);
    // The launcher may end the other ranks when one leaves with a status, so none leaves before all have
    // written.
    MPI_Finalize();
    return status;
}

Parsed parse(const Comm& comm, Cli& cli, int argc, char** argv) {
    return comm.agree([&] {
        if (comm.is_root()) return parse(cli, argc, argv);
        std::ostringstream nowhere;
        auto* screen = std::cout.rdbuf(nowhere.rdbuf());
        struct Restore {
            std::streambuf* screen;
            ~Restore() { std::cout.rdbuf(screen); }
        } restore{screen};
        return parse(cli, argc, argv);
    });
}

}  // namespace ovni
