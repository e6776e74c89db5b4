// The doings of the thread of one stream in MPI, one step ahead of the emulation: a line of mpi.prv says when
// a state ends, and a collective what it has received, at the place where they begin. So a reader of its own
// goes on until that is known. Memory: what begins before the first thing that is still open has ended, that
// is, seldom more than one call.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "emu/state/machine.hpp"
#include "messages/plan/mpi_call.hpp"
#include "messages/plan/mpi_plan.hpp"
#include "model/mpi_event.hpp"
#include "trace/stream_reader.hpp"

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
    // `reader` is at the beginning of the stream. The numbers of communicators outlive this.
    StreamCalls(StreamReader reader, const CallingThread& thread);

    // A call, and the event that makes it. The first one has none: it is the state at the beginning.
    struct Made {
        MpiCall call;
        uint64_t offset = 0;
        EventView::Kind kind = EventView::Kind::event;
        bool state_is_open = false, call_is_open = false;
    };
    // The next one, or null at the end of the stream.
    const Made* next();
    void pop() { made_.pop_front(); }

 private:
    void read_on();
    void finish();
    void take(const EventView& event);
    void take_mark(const EventView& event, MpiCall& call);
    void take_life(const EventView& event, MpiCall& call);
    void take_mpi(const EventView& event, MpiCall& call);
    void enter(const MpiEvent& mpi, MpiCall& call);
    void leave(MpiCall& call, const MpiEvent* mpi);
    void add(const EventView& event, MpiCall call);
    void end_open_state(int64_t time);
    ParaverState state() const;

    StreamReader reader_;
    CallingThread thread_;
    std::deque<Made> made_;
    Made* open_state_ = nullptr;  // of made_, whose elements stay where they are
    Made* open_call_ = nullptr;
    bool is_at_end_ = false;
    RunState run_state_ = RunState::unknown;
    bool is_traced_ = true;
    uint32_t depth_ = 0;  // of calls
    uint16_t function_ = 0;
    ParaverState shown_ = ParaverState::not_created;
};

}  // namespace ovni
