#include "session/check/open_calls_at_end.hpp"

#include <algorithm>
#include <tuple>

#include "base/wire.hpp"

namespace ovni {

// Found by the argument, so not in a namespace without a name.
static auto fields(Awaited& operation) {
    return std::tie(operation.kind, operation.peer, operation.tag, operation.communicator, operation.turn,
                    operation.function);
}
static auto fields(OpenCall& call) {
    return std::tie(call.stream, call.function, call.since, call.until, call.waits_for, call.needs_all);
}
static auto fields(OpenProcess& process) {
    return std::tie(process.process, process.is_finalizing, process.has_all_turns, process.calls);
}
static auto fields(CommunicatorFacts& facts) {
    return std::tie(facts.id, facts.flags, facts.size, facts.members, facts.name);
}
static auto fields(OpenWait& wait) {
    return std::tie(wait.stream, wait.kind, wait.object, wait.tid, wait.since, wait.until);
}
static auto fields(CommunicatorOfProcess& known) {
    return std::tie(known.process, known.turns, known.facts);
}

Waiting find_waiting(const Ranks& ranks, const Trace& trace, const System& system,
                     const std::vector<bool>& mine, const OpenStream& open) {
    const OpenTraceReader reader = ranks.agree([&] { return OpenTraceReader(trace, system, mine, open); });
    OpenTrace all;
    all.processes = wire::allgather(ranks, reader.processes());
    std::ranges::sort(all.processes, {}, &OpenProcess::process);
    all.communicators = wire::allgather(ranks, reader.communicators(communicators_of(all.processes)));
    std::ranges::sort(all.communicators, {}, &CommunicatorOfProcess::process);
    return ranks.is_root() ? who_waits(system, all) : Waiting();
}

std::vector<OpenWait> find_open_waits(const Ranks& ranks, const Trace& trace, const System& system,
                                      const std::vector<bool>& mine, const OpenStream& open) {
    std::vector<OpenWait> all = wire::allgather(ranks, ranks.agree([&] {
        std::set<std::string> told_by_emulation;
        return open_waits(trace, system, mine, open, told_by_emulation);
    }));
    std::ranges::sort(all, {}, &OpenWait::stream);
    return ranks.is_root() ? all : std::vector<OpenWait>();
}

}  // namespace ovni
