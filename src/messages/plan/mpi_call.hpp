// A step of a thread on its way into mpi.prv: at an event, a call of MPI, a gap in the recording or a state
// begins or ends. A state lasts until `state_end`. Ranks exchange these steps, and sinks write them next to
// the records of states. Plain data. (time, order) is the key among ranks, as that of a Record. Calls inside
// of other calls are left out.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/records/record.hpp"
#include "messages/scan/recorded_calls.hpp"
#include "model/paraver_mpi.hpp"

namespace ovni {

struct MpiCall {
    using Step = RecordedCall::Step;
    using Tracing = RecordedCall::Tracing;
    enum class Root : uint8_t { no, yes };
    static constexpr int64_t before_all = -1;  // the time of states that threads are in from the beginning

    int64_t time = 0;       // ns since the first event
    int64_t state_end = 0;  // no state begins if that is not after `time`
    uint64_t sent = 0, received = 0;
    uint32_t thread = 0;  // in MpiPlan::threads
    uint32_t order = 0;
    uint32_t communicator = 0;  // of a collective: its number in the file; 0: unknown
    int32_t target = 0;         // of a one-sided call
    uint16_t function = 0;      // of a step, in mpi_function_rows
    ParaverState state = ParaverState::idle;
    Step step = Step::none;
    Tracing tracing = Tracing::goes_on;
    Root root = Root::no;    // this thread calls as the root of the collective
    uint8_t lacks_init = 0;  // 1: MPI_Init of this task was not recorded

    Moment moment() const { return {time, order}; }
};
static_assert(sizeof(MpiCall) == 56 && std::is_trivially_copyable_v<MpiCall>);

}  // namespace ovni
