// The emulator on many ranks.
#include <malloc.h>

#include "base/file.hpp"
#include "mpi/comm/main.hpp"
#include "mpi/emu/cut_for_all.hpp"
#include "mpi/emu/mpi_distribution.hpp"
#include "session/command/options.hpp"
#include "session/command/outputs_check.hpp"
#include "session/emulation.hpp"

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
    ovni::Cli cli = ovni::distributed_cli();
    return ovni::run_mpi_main(cli, argc, argv, [&](ovni::Comm& world) {
        ovni::make_file_limit_an_error();
        ovni::EmulationOptions options = world.agree([&] { return ovni::read_options(cli); });
        world.agree([&] {
            if (world.is_root()) ovni::check_outputs(ovni::as_seen_by_root(options));
        });
        const auto part = ovni::cut_for_all(world, options);
        ovni::MpiDistribution distribution(world, options);
        return ovni::Emulation(options, distribution).run();
    });
}
