#include "messages/plan/stream_calls.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "messages/calls/mpi_functions.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

StreamCalls::StreamCalls(StreamReader reader, const CallingThread& thread)
    : reader_(std::move(reader)), thread_(thread) {
    Made& first = made_.emplace_back();
    first.call.time = MpiCall::before_all;
    first.call.state_end = thread.end;
    first.call.order = first.call.thread = thread.thread;
    first.call.state = shown_;
    first.call.lacks_init = thread.lacks_init;
    first.state_is_open = true;
    open_state_ = &first;
}

const StreamCalls::Made* StreamCalls::next() {
    while (!is_at_end_ && (made_.empty() || made_.front().state_is_open || made_.front().call_is_open))
        read_on();
    return made_.empty() ? nullptr : &made_.front();
}

// Emulation tells of damage.
void StreamCalls::read_on() {
    try {
        if (reader_.next()) return take(reader_.event());
    } catch (const Error&) {
    }
    finish();
}

void StreamCalls::finish() {
    is_at_end_ = true;
    end_open_state(thread_.end);
    open_call_ = nullptr;
}

void StreamCalls::end_open_state(int64_t time) {
    if (!open_state_) return;
    open_state_->call.state_end = time;
    open_state_->state_is_open = false;
    open_state_ = nullptr;
}

ParaverState StreamCalls::state() const {
    if (!is_traced_) return ParaverState::tracing_disabled;
    if (run_state_ == RunState::unknown || run_state_ == RunState::dead) return ParaverState::not_created;
    if (run_state_ != RunState::running) return ParaverState::blocked;
    return depth_ > 0 ? paraver_function(function_).state : ParaverState::running;
}

void StreamCalls::take(const EventView& event) {
    MpiCall call;
    if (event.kind != EventView::Kind::event)
        take_mark(event, call);
    else if (event.code.model() == 'O')
        take_life(event, call);
    else if (event.code.model() == 'M' && !event.jumbo())
        take_mpi(event, call);
    else
        return;
    add(event, call);
}

void StreamCalls::take_mark(const EventView& event, MpiCall& call) {
    if (event.kind == EventView::Kind::gap_end) {
        is_traced_ = true;
        call.tracing = MpiCall::Tracing::starts;
        return;
    }
    leave(call, nullptr);
    if (event.kind == EventView::Kind::cut) {
        run_state_ = RunState::dead;
        return;
    }
    is_traced_ = false;
    call.tracing = MpiCall::Tracing::stops;
}

void StreamCalls::take_life(const EventView& event, MpiCall& call) {
    if (event.code == "OHx" || event.code == "OHr")
        run_state_ = RunState::running;
    else if (event.code == "OHp" || event.code == "OHc" || event.code == "OHw")
        run_state_ = RunState::paused;
    else if (event.code == "OHe") {
        leave(call, nullptr);
        run_state_ = RunState::dead;
    }
}

void StreamCalls::take_mpi(const EventView& event, MpiCall& call) {
    const MpiEvent mpi(event.code, event.payload());
    if (!mpi.function()) return;
    if (mpi.step() == MpiStep::enter && depth_++ == 0) enter(mpi, call);
    if (mpi.step() != MpiStep::leave || depth_ == 0) return;
    if (--depth_ == 0) leave(call, &mpi);
}

void StreamCalls::enter(const MpiEvent& mpi, MpiCall& call) {
    function_ = index_of(*mpi.function());
    call.step = MpiCall::Step::enter;
    call.function = function_;
    call.sent = mpi.bytes().value_or(0);
    call.target = mpi.rank(MpiField::root).value_or(OVNI_MPI_ANY);
    if (mpi.function()->record != MpiRecord::Collective) return;
    const auto number = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    const auto known = thread_.communicators->find({thread_.process, number});
    if (known != thread_.communicators->end()) call.communicator = known->second.number;
    const bool is_root = call.target == OVNI_MPI_THIS_RANK ||
                         (call.communicator != 0 && call.target >= 0 && call.target == known->second.rank);
    call.root = is_root ? MpiCall::Root::yes : MpiCall::Root::no;
}

// No event tells of the end of a call that a gap or the end of the thread has cut off.
void StreamCalls::leave(MpiCall& call, const MpiEvent* mpi) {
    if (!mpi && depth_ == 0) return;
    depth_ = 0;
    call.step = MpiCall::Step::leave;
    call.function = function_;
    if (open_call_) {
        if (mpi) open_call_->call.received = mpi->bytes().value_or(0);
        open_call_->call_is_open = false;
    }
    open_call_ = nullptr;
}

void StreamCalls::add(const EventView& event, MpiCall call) {
    call.time = event.clock - thread_.origin;
    call.thread = thread_.thread;
    const ParaverState now = state();
    const bool changes = now != shown_;
    if (!changes && call.step == MpiCall::Step::none && call.tracing == MpiCall::Tracing::goes_on) return;
    if (changes) end_open_state(call.time);
    shown_ = now;
    call.state = now;
    Made& made = made_.emplace_back();
    made.call = call;
    made.offset = event.offset;
    made.kind = event.kind;
    if (changes) {
        made.state_is_open = true;
        open_state_ = &made;
    }
    if (call.step == MpiCall::Step::enter) {
        made.call_is_open = true;
        open_call_ = &made;
    }
}

}  // namespace ovni
