// An MPI tool that fails in the way its first word says, for comm_fails.sh.
#include <stdexcept>

#include "base/log.hpp"
#include "mpi/comm/main.hpp"

namespace {

int body(const ovni::Comm& world, int argc, char** argv) {
    ovni::Cli cli;
    cli.usage = "comm_fails HOW";
    if (ovni::parse(world, cli, argc, argv) == ovni::Parsed::help_printed) return 0;
    std::string how = ovni::only_word(cli, "word");
    bool last = world.rank() == world.size() - 1;
    ovni::log::info("said by one rank");
    if (how == "agreed") {
        world.agree([&] {
            if (last) throw ovni::Error("agreed failure");
        });
    }
    if (how == "alone") {
        if (last) throw std::runtime_error("lonely failure");
        world.barrier();
    }
    return how == "status" ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    return ovni::run_mpi_main("comm_fails", argc, argv,
                              [&](ovni::Comm& world) { return body(world, argc, argv); });
}
