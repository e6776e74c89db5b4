// An MPI tool that fails in the way its first word says, for comm_fails.sh.
#include <stdexcept>

#include "base/log.hpp"
#include "mpi/comm/main.hpp"

namespace {

int body(const ovni::Comm& world, const ovni::Cli& cli) {
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
    ovni::Cli cli;
    cli.manual.program = "comm_fails";
    cli.manual.usage = "comm_fails HOW";
    return ovni::run_mpi_main(cli, argc, argv, [&](ovni::Comm& world) { return body(world, cli); });
}
