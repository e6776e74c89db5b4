// The emulator on many ranks.
#include <malloc.h>

#include <csignal>
#include <optional>
#include <string>

#include "mpi/comm/main.hpp"
#include "mpi/emu/mpi_distribution.hpp"
#include "mpi/emu/statistics.hpp"
#include "session/emulation.hpp"
#include "session/options.hpp"
#include "session/outputs_check.hpp"

namespace ovni {

namespace {

// Every window allocates as much as the one before: what was freed is not given back to the system, which
// would clear the pages anew each time.
void keep_memory() {
    constexpr int from_the_heap = 1 << 30, always = -1;
    ::mallopt(M_MMAP_THRESHOLD, from_the_heap);
    ::mallopt(M_TRIM_THRESHOLD, always);
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    ovni::keep_memory();
    return ovni::run_mpi_main("ovniemu-mpi", argc, argv, [&](ovni::Comm& world) {
        ovni::Cli cli = ovni::emulation_cli("mpirun -n N ovniemu-mpi", " [--statistics FILE]");
        cli.usage += " | --local DIR";
        cli.options.add_options()(
            "local", boost::program_options::value<std::string>(),
            "instead of TRACE: a directory that every node has for itself, %h in it is the host and %r the "
            "rank; every node with a part of the trace needs a rank, and -o is needed, where rank 0 writes "
            "if not all see it")("statistics", boost::program_options::value<std::string>(),
                                 "write what the emulation cost on each rank to that file, as JSON");
        if (ovni::parse(world, cli, argc, argv) == ovni::Parsed::help_printed) return 0;
        // A limit of file sizes is an error of write() like a full disk, not the end of the process.
        std::signal(SIGXFSZ, SIG_IGN);
        ovni::EmulationOptions options = world.agree([&] { return ovni::read_options(cli); });
        std::optional<std::string> statistics;
        if (cli.has("statistics")) statistics = cli.get<std::string>("statistics");
        std::vector<ovni::Output> further;
        if (statistics) further.push_back({ovni::Output::Kind::file, "--statistics", *statistics});
        world.agree([&] {
            if (world.is_root()) ovni::check_outputs(ovni::as_seen_by_root(options), further);
        });
        ovni::MpiDistribution distribution(world, options);
        ovni::Emulation emulation(options, distribution);
        int status = emulation.run();
        if (statistics) ovni::write_statistics(world, emulation.cost(), *statistics);
        return status;
    });
}
