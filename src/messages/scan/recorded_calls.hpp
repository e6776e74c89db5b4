// The calls and states of one thread, as mpi.prv shows them: each change of its state, each call that is not
// inside of another one, each gap. A line of mpi.prv stands where a state or collective begins, and says when
// the state ends or what the collective has received. So all this is found before the emulation, and packed
// meanwhile, in 10 to 15 bytes for each.
#pragma once

#include <cstdint>

#include "base/packed_numbers.hpp"
#include "model/paraver_mpi.hpp"
#include "ovni/mpi_events.h"
#include "trace/event_view.hpp"

namespace ovni {

// An event of the thread: a call, a state or a gap begins or ends. Times are corrected clocks, ns.
struct RecordedCall {
    enum class Step : uint8_t { none, enter, leave };
    enum class Tracing : uint8_t { goes_on, stops, starts };
    static constexpr int64_t never = INT64_MAX;

    int64_t time = 0;
    int64_t state_end = 0;  // of a state that begins; never: the trace ends before
    uint64_t offset = 0;    // of the event
    uint64_t sent = 0, received = 0;
    uint32_t communicator = OVNI_MPI_NO_OBJECT;  // of a collective: its number in the process
    int32_t target = OVNI_MPI_ANY;               // of a one-sided call, or the root of a collective
    uint16_t function = 0;                       // of a step, in mpi_function_rows
    ParaverState state = ParaverState::not_created;
    bool begins_state = false;
    Step step = Step::none;
    Tracing tracing = Tracing::goes_on;
    EventView::Kind kind = EventView::Kind::event;
};

class RecordedCalls {
 public:
    void add(const RecordedCall& call);
    // Until then the thread was not created. never: it was not created at all.
    int64_t first_state_end = RecordedCall::never;
    uint64_t size() const { return size_; }

 private:
    friend class RecordedCallsReader;
    PackedItems items_;
    uint64_t size_ = 0;
    RecordedCall last_;
};

// Reads calls in the order in which they were added.
class RecordedCallsReader {
 public:
    // `calls` stay as they are while this reads.
    explicit RecordedCallsReader(const RecordedCalls& calls) : items_(calls.items_), left_(calls.size_) {}
    // False at the end.
    bool next(RecordedCall& call);

 private:
    PackedItemsReader items_;
    uint64_t left_;
    RecordedCall last_;
    uint16_t entered_ = 0;  // function of the last enter
};

}  // namespace ovni
