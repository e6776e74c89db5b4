#include "session/replay/pending_calls.hpp"

#include <algorithm>

#include "emu/records/record_queue.hpp"

namespace ovni {

namespace {

MpiCall untraced(uint32_t thread, const MpiPlan& plan) {
    MpiCall call;
    call.time = MpiCall::before_all;
    call.state_end = plan.end;
    call.order = call.thread = thread;
    call.state = ParaverState::tracing_disabled;
    call.lacks_init = plan.threads[thread].lacks_init;
    return call;
}

}  // namespace

// Threads without a stream that can be read are not traced, nor are those of tasks that were not recorded.
PendingCalls::PendingCalls(const Ranks& ranks, const System& system, const FoundPlan& found,
                           const std::map<uint32_t, RecordedCalls>& calls,
                           const std::vector<uint32_t>& streams, const std::vector<bool>& mine,
                           int64_t origin)
    : calls_(system.stream_count()), next_(system.stream_count()) {
    static const RecordedCalls no_calls;
    const auto calls_of = [&](uint32_t stream) -> const RecordedCalls& {
        const auto known = calls.find(stream);
        return known == calls.end() ? no_calls : known->second;
    };
    const MpiPlan& plan = found.plan;
    for (uint32_t s : streams) {
        const uint32_t thread = system.thread_of_stream(s);
        if (thread == System::no_thread || plan.thread_of_row[thread] == MpiPlan::none) continue;
        StreamCalls::CallingThread caller;
        caller.thread = plan.thread_of_row[thread];
        caller.process = system.threads()[thread].process;
        caller.origin = origin;
        caller.end = plan.end;
        caller.lacks_init = plan.threads[caller.thread].lacks_init;
        caller.communicators = &found.communicators;
        calls_[s] = std::make_unique<StreamCalls>(calls_of(s), caller);
    }
    for (uint32_t p = 0; p < plan.threads.size(); ++p) {
        const uint32_t row = plan.threads[p].row;
        const bool is_mine = row == MpiPlan::none ? ranks.is_root() : mine[system.threads()[row].process];
        if (!is_mine) continue;
        const uint32_t stream = row == MpiPlan::none ? 0 : system.threads()[row].stream;
        if (row == MpiPlan::none || !calls_[stream]) {
            made_.push_back(untraced(p, plan));
            continue;
        }
        made_.push_back(calls_[stream]->first());
        look_ahead(stream);
    }
}

void PendingCalls::make(const EventView& event) {
    MpiCall& call = made_.emplace_back(calls_[event.stream]->next()->call);
    call.order = event.order;
    calls_[event.stream]->pop();
    look_ahead(event.stream);
}

void PendingCalls::look_ahead(uint32_t stream) {
    const StreamCalls::Made* next = calls_[stream]->next();
    next_[stream] = next ? Next{next->offset, next->kind} : Next{};
}

void PendingCalls::take_before(int64_t time, std::vector<MpiCall>& to, Moment end) {
    const auto rest = std::ranges::partition_point(
        made_, [&](const MpiCall& call) { return call.time < time || time == RecordQueue::everything; });
    to.assign(made_.begin(), rest);
    made_.erase(made_.begin(), rest);
    std::erase_if(to, [&](const MpiCall& call) { return call.moment() > end; });
}

}  // namespace ovni
