#include "messages/plan/stream_calls.hpp"

#include "mpi_function_rows.hpp"

namespace ovni {

StreamCalls::StreamCalls(const RecordedCalls& calls, const CallingThread& thread)
    : reader_(calls), first_state_end_(calls.first_state_end), thread_(thread) {
    pop();
}

MpiCall StreamCalls::first() const {
    MpiCall call;
    call.time = MpiCall::before_all;
    call.state_end = end_of_state(first_state_end_);
    call.order = call.thread = thread_.thread;
    call.state = ParaverState::not_created;
    call.lacks_init = thread_.lacks_init;
    return call;
}

void StreamCalls::pop() {
    RecordedCall recorded;
    if (reader_.next(recorded))
        next_ = Made{call_of(recorded), recorded.offset, recorded.kind};
    else
        next_.reset();
}

int64_t StreamCalls::end_of_state(int64_t clock) const {
    return clock == RecordedCall::never ? thread_.end : clock - thread_.origin;
}

MpiCall StreamCalls::call_of(const RecordedCall& recorded) const {
    MpiCall call;
    call.time = recorded.time - thread_.origin;
    if (recorded.begins_state) call.state_end = end_of_state(recorded.state_end);
    call.thread = thread_.thread;
    call.function = recorded.function;
    call.state = recorded.state;
    call.step = recorded.step;
    call.tracing = recorded.tracing;
    if (recorded.step != MpiCall::Step::enter) return call;
    call.sent = recorded.sent;
    call.received = recorded.received;
    call.target = recorded.target;
    if (mpi_function_rows[recorded.function].record != MpiRecord::Collective) return call;
    const auto known = thread_.communicators->find({thread_.process, recorded.communicator});
    if (known != thread_.communicators->end()) call.communicator = known->second.number;
    const bool is_root = call.target == OVNI_MPI_THIS_RANK ||
                         (call.communicator != 0 && call.target >= 0 && call.target == known->second.rank);
    call.root = is_root ? MpiCall::Root::yes : MpiCall::Root::no;
    return call;
}

}  // namespace ovni
