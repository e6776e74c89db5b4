#include "mpi/emu/salvage_events.hpp"

#include "session/deal/parts.hpp"
#include "session/gather.hpp"
#include "session/replay/tie_exchange.hpp"

namespace ovni {

namespace {

// One pass with the exact order, which rank 0 tells round by round.
Findings exact_pass(const Comm& comm, const DryRun& run, const std::vector<bool>& mine, size_t streams) {
    std::vector<Cut> unreadable;
    auto open = [&] {
        unreadable.clear();
        return run.open(mine, unreadable);
    };
    TieExchange ties(comm, comm.agree(open), streams);
    std::optional<DryRun::Pass> pass;
    comm.agree([&] {
        Merger merger(open(), EventOrder::received);
        pass.emplace(run, mine, std::move(merger), unreadable);
    });
    for (bool at_end = false; !at_end;) {
        TieExchange::Round round = ties.next();
        at_end = round.until == INT64_MAX;
        pass->merger().know(round.until, std::move(round.ties));
        comm.agree([&] { pass->play(); });
    }
    return pass->findings();
}

}  // namespace

void salvage_events(const Comm& comm, Trace& trace, const NodePlaces& places, const DryRunOptions& options,
                    std::vector<Damage>& damages) {
    DryRun run = comm.agree([&] { return DryRun(trace, options); });
    std::vector<bool> mine;
    const Parts looms = Parts::looms(run.system());
    for (int rank : deal(trace, run.system(), looms, comm.size(), readers_of(places)))
        mine.push_back(rank == comm.rank());
    run.begin(comm.allreduce(Op::min, comm.agree([&] { return run.first_clocks(mine); })));
    while (!run.is_done()) {
        Findings found = options.order == EventOrder::canonical
                             ? comm.agree([&] { return run.pass(mine); })
                             : exact_pass(comm, run, mine, trace.streams().size());
        run.apply(gather(comm, found));
    }
    run.finish(damages);
}

}  // namespace ovni
