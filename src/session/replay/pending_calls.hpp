// The calls of MPI on their way into mpi.prv: each waits until its event is emulated, and then until that
// time is final.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/record.hpp"
#include "messages/plan/mpi_call.hpp"
#include "messages/plan/mpi_plan.hpp"
#include "messages/plan/stream_calls.hpp"
#include "trace/event_view.hpp"

namespace ovni {

class PendingCalls {
 public:
    // `streams`: those that this rank emulates; `mine`: its processes. `found` and `calls` outlive this.
    PendingCalls(const Ranks& ranks, const System& system, const FoundPlan& found,
                 const std::map<uint32_t, RecordedCalls>& calls, const std::vector<uint32_t>& streams,
                 const std::vector<bool>& mine, int64_t origin);

    // Takes an event that was applied. Call in the order of events.
    void take(const EventView& event) {
        const Next& next = next_[event.stream];
        if (next.offset == event.offset && next.kind == event.kind) [[unlikely]]
            make(event);
    }
    // Moves calls before `time` to `to`, except for those after `end`, the end of the trace.
    void take_before(int64_t time, std::vector<MpiCall>& to, Moment end);

 private:
    // The event that makes the next call.
    struct Next {
        uint64_t offset = UINT64_MAX;
        EventView::Kind kind = EventView::Kind::event;
    };
    void make(const EventView& event);
    void look_ahead(uint32_t stream);

    std::vector<std::unique_ptr<StreamCalls>> calls_;  // by stream
    std::vector<Next> next_;                           // by stream
    std::vector<MpiCall> made_;
};

}  // namespace ovni
