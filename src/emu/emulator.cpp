#include "emu/emulator.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "trace/checksums.hpp"

namespace ovni {

namespace {

std::vector<bool> plain_channels(const Plan& plan, const Tracker& tracker) {
    std::vector<bool> plain;
    for (uint16_t c = 0; c < plan.channel_count(); ++c) plain.push_back(tracker.is_plain(c));
    return plain;
}

}  // namespace

Emulator::Emulator(const Trace& trace, const System& system, const Plan& plan, Strictness strictness,
                   int64_t origin, const Share& mine)
    : trace_(trace),
      plan_(plan),
      strictness_(strictness),
      origin_(origin),
      machine_(system, plan, mine),
      tracker_(plan, machine_),
      dispatch_(plan, plain_channels(plan, tracker_)),
      tasks_(plan, machine_),
      call_sites_(plan.call_sites) {
    for (const ModelPlan& model : plan.models)
        first_channel_[static_cast<uint8_t>(model.spec->id)] = model.first_channel;
}

void Emulator::apply(const EventView& event) {
    now_ = event.clock - origin_;
    tracker_.begin_event(now_, event.order);
    uint32_t t = machine_.thread_of_stream(event.stream);
    if (t != nobody && event.kind == EventView::Kind::event) [[likely]] {
        ++events_;
        Thread& thread = machine_.threads[t];
        const Operation* operation = dispatch_.find(event.code);
        if (operation && operation->kind == OperationKind::step && thread.meets(operation->conditions))
            [[likely]] {
            if (try_step(thread, operation->channel, operation->levels, operation->value,
                         operation->duplicates)) [[likely]]
                return;
        }
        return apply_other(event, t, operation);
    }
    apply_other(event, t, nullptr);
}

// Applies all that is not a plain step, or not allowed.
[[gnu::noinline]] void Emulator::apply_other(const EventView& event, uint32_t t, const Operation* operation) {
    const size_t before = tracker_.queue().size();
    try {
        if (t == nobody) throw Error("an event in a stream that is not a thread's");
        if (event.kind != EventView::Kind::event)
            apply_mark(event, t);
        else if (!operation)
            unknown_event(event.code);
        else
            apply_operation(event, t, *operation);
        tracker_.end_event();
    } catch (const Error& e) {
        tracker_.queue().rewind(before);
        changed_threads_.clear();
        changed_cpus_.clear();
        rethrow(event, e.cause);
    }
}

void Emulator::apply_operation(const EventView& event, uint32_t t, const Operation& operation) {
    Thread& thread = machine_.threads[t];
    if (!thread.meets(operation.conditions)) [[unlikely]] {
        const bool is_in_state =
            Condition::meets(operation.conditions, thread.condition & ~Condition::out_of_cpu);
        if (is_in_state || !lost_state(t)) forbidden(operation, thread);
        set_state(t, RunState::running);
        update_cpu(t);
        propagate();
    }
    switch (operation.kind) {
        case OperationKind::ignore:
            return;
        case OperationKind::hook:
            operation.hook(*this, t, event);
            if (!changed_threads_.empty() || !changed_cpus_.empty()) propagate();
            return;
        case OperationKind::call:
            change(t, operation.channel, operation.action, operation.value);
            return show_call_site(t, operation.function, operation.action);
        case OperationKind::step:
        case OperationKind::change:
            return change(t, operation.channel, operation.action, operation.value);
        case OperationKind::punctual:
            return punctual(t, operation.channel, operation.value);
    }
}

// Marks are the items of a stream that are no events: the beginning and end of a gap, and a cut.
void Emulator::apply_mark(const EventView& event, uint32_t t) {
    switch (event.kind) {
        case EventView::Kind::event:
            return;
        case EventView::Kind::gap_begin:
            lost_events_.add(machine_.threads[t].row, *event.gap);
            return begin_gap(t);
        case EventView::Kind::gap_end:
            return set_traced(t, Traced::yes);
        case EventView::Kind::cut:
            return end_stream(t);
    }
}

void Emulator::forbidden(const Operation& operation, const Thread& thread) const {
    if (!Condition::meets(operation.conditions, thread.condition & ~Condition::out_of_cpu))
        throw Error(fmt::format(
            "thread {} is {}, the event needs it to be {}", thread.tid,
            run_state_names[static_cast<size_t>(thread.state())],
            Condition::meets(operation.conditions, static_cast<unsigned>(RunState::cooling)) ? "active"
                                                                                             : "Running"));
    throw Error(fmt::format("thread {} is out of CPU", thread.tid));
}

// A state that began before a gap may end after it; a channel with an initial value may get it again.
bool Emulator::follows_gap(const ChannelPlan& plan, const Channel& channel, Action action, int64_t value) {
    if (action == Action::set) return plan.initial.is_set && channel.read() == Value(value);
    bool ends = action == Action::pop || action == Action::clear;
    if (!ends || channel.read().is_set) return false;
    note(Oddity::end_after_gap);
    return true;
}

void Emulator::change(uint32_t t, uint16_t c, Action action, int64_t value) {
    const ChannelPlan& plan = plan_.channels[c];
    Channel& channel = machine_.channel(t, c);
    bool on_stack = action == Action::push || action == Action::pop;
    if (on_stack != (plan.kind == ChannelKind::stack)) [[unlikely]]
        throw Error(fmt::format("{} is {} a stack", plan.name, on_stack ? "not" : "not a single value but"));
    if (machine_.threads[t].had_gap && follows_gap(plan, channel, action, value)) return;
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
    machine_.threads[t].set_state(state);
    tracker_.state_changed(t);
    changed_threads_.push_back(t);
}

bool Emulator::lost_state(uint32_t t) {
    const Thread& thread = machine_.threads[t];
    if (!thread.had_gap) return false;
    note(Oddity::lost_state);
    if (thread.cpu == nobody) {
        enter_cpu(t, machine_.find_cpu(thread.loom, CpuInfo::virtual_index));
        tracker_.affinity_changed(t);
    }
    return true;
}

// True if all threads of the CPU are known to be there.
bool Emulator::are_exact(const Cpu& cpu) const {
    return std::ranges::none_of(cpu.threads, [&](uint32_t t) {
        return machine_.system.threads()[machine_.threads[t].row].samples_cpus;
    });
}

void Emulator::touch_cpu(uint32_t cpu) {
    tracker_.cpu_changed(cpu);
    const Cpu& changed = machine_.cpus[cpu];
    if (changed.running == Cpu::too_many && strictness_ == Strictness::linter && are_exact(changed))
        throw Error(
            fmt::format("more than one running thread on {}", (*machine_.system.cpu_labels())[changed.row]));
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

// A channel that has a value from the start goes back to that: what is shown of it follows from the state of
// the thread, which changes next.
void Emulator::close_states(uint32_t t) {
    machine_.threads[t].set_flag(Condition::out_of_cpu, false);
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        ThreadChannel& channel = machine_.channel(t, c);
        if (!channel.read().is_set) continue;
        channel.close();
        if (plan_.channels[c].initial.is_set)
            channel.set(plan_.channels[c].initial, Duplicates::allowed);
        else
            tracker_.channel_changed(t, c);
    }
    tasks_.close_bodies(t);
}

void Emulator::begin_gap(uint32_t t) {
    close_states(t);
    call_sites_.forget(t);
    machine_.threads[t].had_gap = true;
    machine_.note_lost_events(machine_.threads[t].loom);
    set_traced(t, Traced::no);
}

void Emulator::set_traced(uint32_t t, Traced traced) {
    Thread& thread = machine_.threads[t];
    thread.set_flag(Condition::untraced, traced == Traced::no);
    tracker_.state_changed(t);
    changed_threads_.push_back(t);
    if (thread.cpu != nobody) touch_cpu(thread.cpu);
    propagate();
}

// The program did not end this stream itself, the writer did: what is still open ends with the last event.
void Emulator::end_stream(uint32_t t) {
    Thread& thread = machine_.threads[t];
    close_states(t);
    machine_.note_lost_events(thread.loom);
    if (thread.state() == RunState::dead) return;
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
                           ? fmt::format("event {}", event.code.text().data())
                       : event.kind == EventView::Kind::cut ? std::string("end of the stream")
                                                            : fmt::format("gap ({})", event.gap->reason);
    std::string text =
        fmt::format("{} at clock {} (time {}): {}", what, event.clock, event.clock - origin_, cause);
    throw explained(Error(std::move(text), trace_.path_of(event.stream), event.offset));
}

}  // namespace ovni
