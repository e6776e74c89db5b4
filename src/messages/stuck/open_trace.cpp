#include "messages/stuck/open_trace.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

// Calls that are open where a stream ends that its program has ended were not open: the stream was cut.
static void leave_out_cut_ones(std::vector<OpenCall>& calls, const Trace& trace) {
    std::erase_if(calls, [&](const OpenCall& call) {
        const Stream& stream = trace.streams()[call.stream];
        if (stream.metadata.end || stream.metadata.goes_on || stream.is_running) return false;
        log::warn("{}: ends inside of {}, though its program has ended it: the rest is missing",
                  stream.relative_path(), mpi_function_rows[call.function].name);
        return true;
    });
}

std::vector<OpenProcess> open_processes(std::span<const EndOfProcess> ends, const Trace& trace) {
    std::vector<OpenProcess> all;
    for (const EndOfProcess& end : ends) leave_out_cut_ones(all.emplace_back(end.open).calls, trace);
    return all;
}

std::vector<CommunicatorOfProcess> communicators_at_end(std::span<const EndOfProcess> ends,
                                                        std::span<const uint64_t> ids) {
    std::vector<CommunicatorOfProcess> all;
    for (const EndOfProcess& end : ends)
        for (const uint64_t id : ids) {
            CommunicatorOfProcess known{end.open.process, end.turns_on(id), end.communicators.with_id(id)};
            if (known.turns > 0 || known.facts.size > 0) all.push_back(std::move(known));
        }
    return all;
}

}  // namespace ovni
