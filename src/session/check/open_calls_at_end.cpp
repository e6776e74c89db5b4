#include "session/check/open_calls_at_end.hpp"

#include <algorithm>
#include <tuple>

#include "base/wire.hpp"
#include "messages/stuck/open_trace.hpp"

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

Waiting find_waiting(const Ranks& ranks, const Trace& trace, const System& system, const Scanned& scanned) {
    OpenTrace all;
    all.processes = wire::allgather(ranks, open_processes(scanned.open_calls, trace));
    std::ranges::sort(all.processes, {}, &OpenProcess::process);
    all.communicators =
        wire::allgather(ranks, communicators_at_end(scanned.open_calls, communicators_of(all.processes)));
    std::ranges::sort(all.communicators, {}, &CommunicatorOfProcess::process);
    return ranks.is_root() ? who_waits(system, all) : Waiting();
}

std::vector<OpenWait> find_open_waits(const Ranks& ranks, const Scanned& scanned) {
    std::vector<OpenWait> all = wire::allgather(ranks, scanned.open_waits);
    std::ranges::sort(all, {}, &OpenWait::stream);
    return ranks.is_root() ? all : std::vector<OpenWait>();
}

}  // namespace ovni
