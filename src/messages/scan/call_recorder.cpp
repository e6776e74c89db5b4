#include "messages/scan/call_recorder.hpp"

#include "calls/call_reader.hpp"
#include "calls/mpi_functions.hpp"

namespace ovni {

namespace {

using Step = RecordedCall::Step;
using Tracing = RecordedCall::Tracing;

RecordedCall at(const EventView& event) {
    RecordedCall call;
    call.time = event.clock;
    call.offset = event.offset;
    call.kind = event.kind;
    return call;
}

}  // namespace

CallRecorder::Thread& CallRecorder::thread_of(const CallThread& caller) {
    while (caller.index >= threads_.size()) threads_.emplace_back();
    Thread& thread = threads_[caller.index];
    if (!thread.calls) thread.calls = &calls_[caller.stream];
    return thread;
}

void CallRecorder::entered(const CallThread& caller) {
    if (caller.depth != 1) return;
    const Call& open = caller.call;
    RecordedCall call;
    call.time = open.enter;
    call.offset = open.offset;
    call.step = Step::enter;
    call.function = index_of(*open.function);
    call.sent = open.sent;
    call.target = open.root;
    if (open.function->record == MpiRecord::Collective) call.communicator = open.object;
    add(thread_of(caller), caller, call);
}

// No event records the end of a call that a gap or the end of the thread has cut off.
void CallRecorder::surfaced(const CallThread& caller, const Return* result) {
    Thread& thread = thread_of(caller);
    if (!result) {
        thread.leaves = true;
        return;
    }
    RecordedCall call;
    call.time = result->clock;
    call.offset = result->offset;
    leave(thread, call, result);
    add(thread, caller, call);
}

void CallRecorder::leave(Thread& thread, RecordedCall& call, const Return* result) {
    call.step = Step::leave;
    thread.leaves = false;
    if (!thread.open_call) return;
    if (result) thread.open_call->call.received = result->bytes.value_or(0);
    thread.open_call->call_is_open = false;
    thread.open_call = nullptr;
}

void CallRecorder::interrupted(const CallThread& caller, const EventView& event, bool /*is_counted*/) {
    Thread& thread = thread_of(caller);
    RecordedCall call = at(event);
    if (thread.leaves) leave(thread, call, nullptr);
    if (event.kind == EventView::Kind::cut) {
        thread.run_state = RunState::dead;
    } else {
        thread.is_traced = event.kind == EventView::Kind::gap_end;
        call.tracing = thread.is_traced ? Tracing::starts : Tracing::stops;
    }
    add(thread, caller, call);
}

void CallRecorder::lived(const CallThread& caller, const EventView& event) {
    if (event.code.category() != 'H') return;
    Thread& thread = thread_of(caller);
    RecordedCall call = at(event);
    if (event.code == "OHx" || event.code == "OHr")
        thread.run_state = RunState::running;
    else if (event.code == "OHp" || event.code == "OHc" || event.code == "OHw")
        thread.run_state = RunState::paused;
    else if (event.code == "OHe") {
        if (thread.leaves) leave(thread, call, nullptr);
        thread.run_state = RunState::dead;
    }
    add(thread, caller, call);
}

ParaverState CallRecorder::state_of(const Thread& thread, const CallThread& caller) {
    if (!thread.is_traced) return ParaverState::tracing_disabled;
    if (thread.run_state == RunState::unknown || thread.run_state == RunState::dead)
        return ParaverState::not_created;
    if (thread.run_state != RunState::running) return ParaverState::blocked;
    return caller.depth > 0 ? paraver_function(caller.outermost).state : ParaverState::running;
}

void CallRecorder::add(Thread& thread, const CallThread& caller, RecordedCall call) {
    const ParaverState now = state_of(thread, caller);
    call.begins_state = now != thread.shown;
    if (!call.begins_state && call.step == Step::none && call.tracing == Tracing::goes_on) return;
    if (call.begins_state) end_open_state(thread, call.time);
    thread.shown = now;
    call.state = now;
    Unended& added = thread.unended.emplace_back();
    added.call = call;
    if (call.begins_state) {
        added.state_is_open = true;
        thread.open_state = &added;
    }
    if (call.step == Step::enter) {
        added.call_is_open = true;
        thread.open_call = &added;
    }
    pack(thread);
}

void CallRecorder::end_open_state(Thread& thread, int64_t time) {
    if (thread.is_first_state) thread.calls->first_state_end = time;
    thread.is_first_state = false;
    if (!thread.open_state) return;
    thread.open_state->call.state_end = time;
    thread.open_state->state_is_open = false;
    thread.open_state = nullptr;
}

void CallRecorder::pack(Thread& thread) {
    while (!thread.unended.empty() && !thread.unended.front().state_is_open &&
           !thread.unended.front().call_is_open) {
        thread.calls->add(thread.unended.front().call);
        thread.unended.pop_front();
    }
}

void CallRecorder::finished() {
    for (Thread& thread : threads_)
        for (Unended& unended : thread.unended) {
            if (unended.state_is_open) unended.call.state_end = RecordedCall::never;
            thread.calls->add(unended.call);
        }
    threads_.clear();
}

}  // namespace ovni
