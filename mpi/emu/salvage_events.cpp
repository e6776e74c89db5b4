#include "mpi/emu/salvage_events.hpp"

#include "session/deal/parts.hpp"
#include "session/gather.hpp"

namespace ovni {

void salvage_events(const Comm& comm, Trace& trace, const NodePlaces& places, const DryRunOptions& options,
                    std::vector<Damage>& damages) {
    DryRun run = comm.agree([&] { return DryRun(trace, options); });
    std::vector<bool> mine;
    const Parts looms = Parts::looms(run.system());
    if (options.order == EventOrder::exact)
        mine.assign(looms.count, comm.is_root());
    else
        for (int rank : deal(trace, run.system(), looms, comm.size(), readers_of(places)))
            mine.push_back(rank == comm.rank());
    run.begin(comm.allreduce(Op::min, comm.agree([&] { return run.first_clocks(mine); })));
    while (!run.is_done()) {
        run.apply(gather(comm, comm.agree([&] { return run.pass(mine); })));
    }
    run.finish(damages);
}

}  // namespace ovni
