#include "messages/stuck/open_trace.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

bool uses_mpi(const Stream& stream) {
    return std::ranges::any_of(stream.metadata.common->require,
                               [](const auto& model) { return model.first == "mpi"; });
}

bool may_have_open_calls(const Trace& trace) {
    return std::ranges::any_of(trace.streams(),
                               [](const Stream& stream) { return stream.metadata.end && uses_mpi(stream); });
}

// Calls that are open where a stream ends that its program has ended were not open: the stream was cut.
static std::vector<OpenCall> without_cut_ones(std::vector<OpenCall> calls, const Trace& trace) {
    std::erase_if(calls, [&](const OpenCall& call) {
        const Stream& stream = trace.streams()[call.stream];
        if (stream.metadata.end || stream.metadata.goes_on || stream.is_running) return false;
        log::warn("{}: ends inside of {}, though its program has ended it: the rest is missing",
                  stream.relative_path(), mpi_function_rows[call.function].name);
        return true;
    });
    return calls;
}

OpenTraceReader::OpenTraceReader(const Trace& trace, const System& system, const std::vector<bool>& mine,
                                 const OpenStream& open) {
    for (uint32_t p = 0; p < system.processes().size(); ++p) {
        const ProcessInfo& process = system.processes()[p];
        if (!mine[p]) continue;
        ProcessCalls calls;
        bool is_of_mpi = false, begins_inside = false;
        for (uint32_t t = 0; t < process.thread_count; ++t) {
            const uint32_t s = system.threads()[process.first_thread + t].stream;
            const Stream& stream = trace.streams()[s];
            if (!stream.is_readable() || !uses_mpi(stream)) continue;
            is_of_mpi = true;
            begins_inside = begins_inside || stream.metadata.begins_inside;
            try {
                StreamReader reader = open(s);
                calls.read(s, reader);
            } catch (const Error& e) {
                damages_.insert(e.what());
            }
        }
        if (!is_of_mpi) continue;
        processes_.push_back({p, calls.is_finalizing(), calls.has_all_turns() && !begins_inside,
                              without_cut_ones(calls.open(), trace)});
        calls_.push_back(std::move(calls));
    }
}

std::vector<CommunicatorOfProcess> OpenTraceReader::communicators(const std::vector<uint64_t>& ids) const {
    std::vector<CommunicatorOfProcess> all;
    for (size_t i = 0; i < processes_.size(); ++i)
        for (uint64_t id : ids) {
            CommunicatorOfProcess known{processes_[i].process, calls_[i].turns(id),
                                        calls_[i].communicator(id)};
            if (known.turns > 0 || known.facts.size > 0) all.push_back(std::move(known));
        }
    return all;
}

}  // namespace ovni
