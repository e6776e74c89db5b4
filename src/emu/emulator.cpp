#include "emu/emulator.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ovni {

Emulator::Emulator(const Trace& trace, const System& system, const Plan& plan, Strictness strictness,
                   int64_t origin, const std::vector<bool>& mine)
    : trace_(trace),
      plan_(plan),
      strictness_(strictness),
      origin_(origin),
      dispatch_(plan),
      machine_(system, plan.channels.size(), mine),
      tracker_(plan, machine_) {}

void Emulator::apply(const EventView& event) {
    size_t before = tracker_.queue().size();
    try {
        now_ = event.clock - origin_;
        tracker_.begin_event(now_, event.order);
        uint32_t thread = machine_.thread_at_row(machine_.system.thread_of_stream(event.stream));
        if (thread == nobody) throw Error("an event in a stream that is not a thread's");
        switch (event.kind) {
            case EventView::Kind::event:
                apply_event(event, thread);
                break;
            case EventView::Kind::gap_begin:
                begin_gap(thread);
                break;
            case EventView::Kind::gap_end:
                set_traced(thread, Traced::yes);
                break;
            case EventView::Kind::cut:
                end_stream(thread);
                break;
        }
    } catch (const Error& e) {
        tracker_.queue().rewind(before);
        rethrow(event, e.cause);
    }
}

void Emulator::apply_event(const EventView& event, uint32_t thread) {
    ++events_;
    const Operation* operation = dispatch_.find(event.code());
    if (!operation) [[unlikely]]
        return unknown_event(event.code());
    check_guard(*operation, machine_.threads[thread]);
    if (operation->action == Action::ignore) return;
    if (operation->action == Action::hook) {
        operation->hook(*this, thread, event);
        if (!changed_threads_.empty() || !changed_cpus_.empty()) propagate();
        return;
    }
    change(thread, operation->channel, operation->action, operation->value);
}

void Emulator::check_guard(const Operation& operation, const Thread& thread) const {
    if (!thread.in(operation.states)) [[unlikely]]
        throw Error(fmt::format("thread {} is {}, the event needs it to be {}", thread.tid,
                                run_state_names[static_cast<size_t>(thread.state)],
                                operation.states == running_states ? "Running" : "active"));
    if (operation.needs_cpu && thread.out_of_cpu) [[unlikely]]
        throw Error(fmt::format("thread {} is out of CPU", thread.tid));
}

void Emulator::change(uint32_t t, uint16_t c, Action action, int64_t value) {
    const ChannelPlan& plan = plan_.channels[c];
    Channel& channel = machine_.channel(t, c);
    bool on_stack = action == Action::push || action == Action::pop;
    if (on_stack != (plan.kind == ChannelPlan::Kind::stack)) [[unlikely]]
        throw Error(fmt::format("{} is {} a stack", plan.name, on_stack ? "not" : "not a single value but"));
    // What began before a gap may end after it.
    if (machine_.threads[t].had_gap && !channel.read().is_set)
        if (action == Action::pop || action == Action::clear) {
            ++tolerated_;
            return;
        }
    try {
        switch (action) {
            case Action::push:
                channel.push(value, plan.duplicates);
                break;
            case Action::pop:
                channel.pop(value);
                break;
            case Action::set:
                channel.set(value, plan.duplicates);
                break;
            case Action::clear:
                channel.set({}, plan.duplicates);
                break;
            default:
                return;
        }
    } catch (const Error& e) {
        throw Error(plan.name + ": " + e.cause);
    }
    tracker_.channel_changed(t, c);
}

void Emulator::set_state(uint32_t t, RunState state) {
    machine_.threads[t].state = state;
    tracker_.state_changed(t);
    changed_threads_.push_back(t);
}

void Emulator::touch_cpu(uint32_t cpu) {
    tracker_.cpu_changed(cpu);
    const Cpu& changed = machine_.cpus[cpu];
    if (changed.running == Cpu::too_many && strictness_ == Strictness::linter)
        throw Error(
            fmt::format("more than one running thread on {}", machine_.system.cpus()[changed.row].label));
    changed_cpus_.push_back(cpu);
}

void Emulator::enter_cpu(uint32_t t, uint32_t cpu) {
    machine_.threads[t].cpu = cpu;
    machine_.cpus[cpu].threads.push_back(t);
    touch_cpu(cpu);
}

void Emulator::leave_cpu(uint32_t t) {
    uint32_t cpu = machine_.threads[t].cpu;
    std::erase(machine_.cpus[cpu].threads, t);
    touch_cpu(cpu);
    machine_.threads[t].cpu = nobody;
}

void Emulator::migrate(uint32_t t, uint32_t cpu) {
    leave_cpu(t);
    enter_cpu(t, cpu);
    tracker_.affinity_changed(t);
}

void Emulator::propagate() {
    for (uint32_t t : changed_threads_) tracker_.thread_channels_changed(t);
    for (uint32_t c : changed_cpus_) tracker_.cpu_channels_changed(c);
    changed_threads_.clear();
    changed_cpus_.clear();
}

void Emulator::close_states(uint32_t t) {
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        if (!machine_.channel(t, c).read().is_set) continue;
        machine_.channel(t, c).close();
        tracker_.channel_changed(t, c);
    }
}

void Emulator::begin_gap(uint32_t t) {
    close_states(t);
    machine_.threads[t].had_gap = true;
    set_traced(t, Traced::no);
}

void Emulator::set_traced(uint32_t t, Traced traced) {
    Thread& thread = machine_.threads[t];
    thread.traced = traced;
    tracker_.state_changed(t);
    changed_threads_.push_back(t);
    if (thread.cpu != nobody) touch_cpu(thread.cpu);
    propagate();
}

// The program did not end this stream itself, the writer did: what is still open ends with the last event.
void Emulator::end_stream(uint32_t t) {
    Thread& thread = machine_.threads[t];
    close_states(t);
    if (thread.state == RunState::dead) return;
    set_state(t, RunState::dead);
    if (thread.cpu != nobody) {
        leave_cpu(t);
        tracker_.affinity_changed(t);
    }
    propagate();
}

void Emulator::unknown_event(EventCode code) const {
    const ModelSpec* model = find_model(code.model());
    if (!model) throw Error(fmt::format("no model has the id '{}'", code.model()));
    if (!plan_.find(code.model()))
        throw Error(
            fmt::format("model {} is not enabled: no thread requires it (ovni_thread_require)", model->name));
    if (code.category() != model->ignored_category)
        throw Error(fmt::format("model {} has no such event", model->name));
}

void Emulator::rethrow(const EventView& event, const std::string& cause) const {
    std::string what = event.kind == EventView::Kind::event
                           ? fmt::format("event {}", event.code().text().data())
                       : event.kind == EventView::Kind::cut ? std::string("end of the stream")
                                                            : fmt::format("gap ({})", event.gap->reason);
    throw Error(fmt::format("{} at clock {} (time {}): {}", what, event.clock, event.clock - origin_, cause),
                trace_.path_of(event.stream), event.offset);
}

}  // namespace ovni
