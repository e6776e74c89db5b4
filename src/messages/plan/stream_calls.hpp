// The calls of one thread on their way into mpi.prv: those that the scan has recorded, with the plan's
// numbers of the thread and of communicators.
#pragma once

#include <cstdint>
#include <optional>

#include "messages/plan/mpi_call.hpp"
#include "messages/plan/mpi_plan.hpp"
#include "messages/scan/recorded_calls.hpp"

namespace ovni {

class StreamCalls {
 public:
    struct CallingThread {
        uint32_t thread = 0;   // in MpiPlan::threads
        uint32_t process = 0;  // in System
        int64_t origin = 0, end = 0;
        bool lacks_init = false;
        const CommunicatorNumbers* communicators = nullptr;
    };
    // The calls, and the numbers of communicators, outlive this.
    StreamCalls(const RecordedCalls& calls, const CallingThread& thread);

    // A call, and the event that makes it.
    struct Made {
        MpiCall call;
        uint64_t offset = 0;
        EventView::Kind kind = EventView::Kind::event;
    };
    // The state at the beginning.
    MpiCall first() const;
    // Null at the end of the stream. Valid until pop().
    const Made* next() const { return next_ ? &*next_ : nullptr; }
    void pop();

 private:
    MpiCall call_of(const RecordedCall& recorded) const;
    int64_t end_of_state(int64_t clock) const;

    RecordedCallsReader reader_;
    int64_t first_state_end_;
    CallingThread thread_;
    std::optional<Made> next_;
};

}  // namespace ovni
