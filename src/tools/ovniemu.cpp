// The emulator in one process.
#include <cstdlib>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/thread_ranks.hpp"
#include "core/launcher.hpp"
#include "session/command/cut_part.hpp"
#include "session/command/options.hpp"
#include "session/command/outputs_check.hpp"
#include "session/deal/thread_distribution.hpp"
#include "session/emulation.hpp"
#include "session/replay/interruption.hpp"

namespace ovni {

namespace {

int emulate(const Ranks& ranks, const EmulationOptions& options, const TraceInMemory& whole) {
    if (!ranks.is_root()) log::print_from(log::Level::warning);
    ThreadDistribution distribution(ranks, whole);
    return Emulation(options, distribution).run();
}

// Started by mpirun, every rank would do the whole work and write all files.
void refuse_mpirun() {
    if (rank_by_launcher() <= 0 && size_by_launcher() <= 1) return;
    if (is_first_rank())
        throw UsageError("started as several processes by mpirun or srun: use ovniemu-mpi there");
    std::exit(2);
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovniemu", [&] {
        ovni::refuse_mpirun();
        ovni::Cli cli = ovni::emulation_cli();
        if (ovni::parse(cli, argc, argv) == ovni::Parsed::help_printed) return 0;
        ovni::make_file_limit_an_error();
        ovni::EmulationOptions options = ovni::read_options(cli);
        ovni::check_outputs(options);
        const auto part = ovni::cut_part(options);
        const ovni::TraceInMemory whole = ovni::read_trace(options);
        ovni::stop_in_order();
        const int threads = options.order == ovni::EventOrder::exact && !options.threads
                                ? 1
                                : ovni::threads_for(*whole.trace, options.threads);
        return ovni::run_on_threads(threads,
                                    [&](const auto& ranks) { return ovni::emulate(ranks, options, whole); });
    });
}
