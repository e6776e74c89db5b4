#include "emu/state/tracker.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ovni {

namespace {

// Every push and pop of such a channel changes what is shown, so that nothing has to be compared.
bool always_a_line(const ChannelPlan& channel) {
    return channel.kind == ChannelKind::stack && channel.tracking != Tracking::any &&
           channel.cpu_tracking == Tracking::running && channel.breakdown == ChannelPlan::no_breakdown &&
           channel.punctual == ChannelPlan::Punctual::no &&
           (channel.repeats != Repeats::skip || channel.duplicates == Duplicates::forbidden);
}

}  // namespace

// Changes of a CPU's threads after which its row may show something else of the channel: another thread, or
// the active one, which may be hidden where it was not.
unsigned Tracker::followed_by(const ChannelPlan& channel) {
    if (channel.cpu_tracking == Tracking::none) return 0;
    if (channel.cpu_tracking == Tracking::running) return running_thread;
    return shares_lines(channel) ? active_thread : active_thread | running_thread;
}

Tracker::Tracker(const Plan& plan, Machine& machine)
    : plan_(plan),
      machine_(machine),
      breakdowns_(plan, machine),
      extras_(plan),
      cpu_shown_(machine.cpus.size() * plan.channels.size()),
      shown_state_(machine.threads.size(), -1),
      shown_tid_(machine.threads.size(), 0) {
    for (const ChannelPlan& channel : plan.channels) {
        visible_.push_back(Condition::mask(states_of(channel.tracking), Condition::untraced));
        follows_.push_back(static_cast<uint8_t>(followed_by(channel)));
        plain_type_.push_back(always_a_line(channel) ? channel.prv_type : 0);
        punctual_index_.push_back(static_cast<uint16_t>(punctual_count_));
        if (has_punctual(channel)) ++punctual_count_;
    }
    thread_punctual_.resize(machine.threads.size() * punctual_count_);
    cpu_punctual_.resize(machine.cpus.size() * punctual_count_);
}

bool Tracker::update(Shown::State& shown, int64_t& number, const ChannelPlan& channel, Value value) {
    auto state = value.is_set ? Shown::State::number : Shown::State::nothing;
    if (channel.repeats != Repeats::write && shown == state && number == value.number)
        if (channel.repeats == Repeats::skip || !value.is_set) return false;
    if (value.is_set && value.number == 0 && channel.zero == ChannelPlan::ZeroLegal::no) [[unlikely]]
        throw Error("the value 0 is not legal in " + channel.name);
    shown = state;
    number = value.number;
    return true;
}

void Tracker::channel_changed(uint32_t t, uint16_t c) {
    const Thread& thread = machine_.threads[t];
    const ChannelPlan& channel = plan_.channels[c];
    ThreadChannel& shown = machine_.channel(t, c);
    const Value value = shown.read();
    bool visible = thread.meets(visible_[c]);
    bool thread_line = (visible || channel.tracking == Tracking::any) && update_thread(shown, channel, value);
    uint32_t cpu_row = visible ? cpu_row_of(thread, c) : Record::no_row;
    if (cpu_row != Record::no_row) {
        CpuShown& of_cpu = cpu_shown(thread.cpu, c);
        bool cpu_line =
            shares_lines(channel) ? thread_line : update(of_cpu.state, of_cpu.number, channel, value);
        if (channel.breakdown != ChannelPlan::no_breakdown) touch_breakdown(thread.cpu, c);
        if (!cpu_line) cpu_row = Record::no_row;
    }
    uint32_t thread_row = thread_line ? thread.row : Record::no_row;
    if (has_punctual(channel)) [[unlikely]] {
        if (thread_line) note_line(thread_punctual(t, c));
        if (cpu_row != Record::no_row) note_line(cpu_punctual(thread.cpu, c));
    }
    if (thread_line || cpu_row != Record::no_row) write(channel.prv_type, thread_row, cpu_row, value.number);
}

void Tracker::touch_breakdown(uint32_t cpu, uint16_t c) {
    uint8_t breakdown = plan_.channels[c].breakdown;
    breakdowns_.touch(
        cpu, breakdown,
        plan_.breakdowns[breakdown].base == c ? BreakdownValues::What::base : BreakdownValues::What::other);
}

Tracker::PunctualLines& Tracker::thread_punctual(uint32_t thread, uint16_t c) {
    return thread_punctual_[thread * punctual_count_ + punctual_index_[c]];
}

Tracker::PunctualLines& Tracker::cpu_punctual(uint32_t cpu, uint16_t c) {
    return cpu_punctual_[cpu * punctual_count_ + punctual_index_[c]];
}

// `line`: with the value that is shown for 1 ns. `before`: what the row shows otherwise.
void Tracker::punctual_line(PunctualLines& lines, const Record& line, int64_t before) {
    Record begin = line;
    begin.time = std::max({now_ - 1, lines.last_time, int64_t{0}});
    if (begin.time < now_) begin.order |= Record::early;
    begin.punctual = Record::Punctual::begin;
    queue_.insert(begin);
    Record end = line;
    end.value = before;
    end.punctual = Record::Punctual::end;
    queue_.append(end);
    note_line(lines);
}

void Tracker::punctual(uint32_t t, uint16_t c, int64_t value) {
    const Thread& thread = machine_.threads[t];
    if (!thread.meets(visible_[c])) return;
    const ChannelPlan& channel = plan_.channels[c];
    uint16_t type = channel.prv_type;
    int64_t before = machine_.channel(t, c).shown_number;
    punctual_line(thread_punctual(t, c), {now_, value, thread.row, Record::no_row, order_, type}, before);
    uint32_t cpu_row = cpu_row_of(thread, c);
    if (cpu_row == Record::no_row) return;
    if (!shares_lines(channel)) before = cpu_shown(thread.cpu, c).number;
    punctual_line(cpu_punctual(thread.cpu, c), {now_, value, Record::no_row, cpu_row, order_, type}, before);
}

void Tracker::state_changed(uint32_t t) {
    const Thread& thread = machine_.threads[t];
    auto state = static_cast<int64_t>(thread.state());
    if (!thread.traced() && thread.state() != RunState::dead) {
        state = shown_value::not_traced;
        note(ShownExtras::not_traced);
    }
    if (shown_state_[t] != state) write(prv_type::thread_state, thread.row, Record::no_row, state);
    shown_state_[t] = state;
    int64_t tid = thread.shows(active_states) ? thread.tid : 0;
    if (shown_tid_[t] != tid) write(prv_type::tid, thread.row, Record::no_row, tid);
    shown_tid_[t] = tid;
}

// The value that a thread row shows of a channel that its tracking disables. In a gap nothing is known of it.
Value Tracker::disabled_value(const Thread& thread, uint16_t c) {
    if (!thread.traced()) return {};
    note(extras_.disabled(c));
    return plan_.channels[c].disabled.value;
}

void Tracker::thread_channels_changed(uint32_t t) {
    const Thread& thread = machine_.threads[t];
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        const ChannelPlan& channel = plan_.channels[c];
        if (channel.tracking == Tracking::any) continue;
        ThreadChannel& shown = machine_.channel(t, c);
        Value value;
        if (thread.meets(visible_[c]))
            value = shown.read();
        else if (channel.disabled.value != 0) [[unlikely]]
            value = disabled_value(thread, c);
        if (!update_thread(shown, channel, value)) continue;
        write(channel.prv_type, thread.row, Record::no_row, value.number);
        if (has_punctual(channel)) note_line(thread_punctual(t, c));
    }
}

void Tracker::affinity_changed(uint32_t t) {
    const Thread& thread = machine_.threads[t];
    int64_t value = thread.cpu == nobody ? 0 : machine_.cpus[thread.cpu].row + int64_t{1};
    write(prv_type::cpu, thread.row, Record::no_row, value);
}

void Tracker::update_crowding(Cpu& cpu, uint32_t running) {
    bool was = cpu.running == Cpu::too_many, is = running == Cpu::too_many;
    if (is && !was) cpu.crowded_since = now_, ++cpu.crowded_times;
    if (was && !is) cpu.crowded_ns += now_ - cpu.crowded_since;
}

// The row of that CPU no longer shows the thread.
void Tracker::keep_shown(uint32_t cpu, uint32_t t, Tracking tracking) {
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        const ChannelPlan& channel = plan_.channels[c];
        if (channel.cpu_tracking != tracking || !shares_lines(channel)) continue;
        const ThreadChannel& shown = machine_.channel(t, c);
        cpu_shown(cpu, c) = {shown.shown_number, shown.shown};
    }
}

void Tracker::attach(uint32_t index, uint32_t running, uint32_t active) {
    Cpu& cpu = machine_.cpus[index];
    cpu.running_changed = cpu.running != running;
    cpu.active_changed = cpu.active != active;
    if (cpu.running_changed && cpu.running < Cpu::too_many) {
        keep_shown(index, cpu.running, Tracking::running);
        machine_.threads[cpu.running].running_on = Record::no_row;
    }
    if (cpu.active_changed && cpu.active < Cpu::too_many) {
        keep_shown(index, cpu.active, Tracking::active);
        machine_.threads[cpu.active].active_on = Record::no_row;
    }
    cpu.running = running;
    cpu.active = active;
    if (running < Cpu::too_many) machine_.threads[running].running_on = cpu.row;
    if (active < Cpu::too_many) machine_.threads[active].active_on = cpu.row;
}

void Tracker::cpu_changed(uint32_t c) {
    Cpu& cpu = machine_.cpus[c];
    int64_t running_count = 0, active_count = 0;
    uint32_t running = nobody, active = nobody;
    for (uint32_t t : cpu.threads) {
        const Thread& thread = machine_.threads[t];
        if (thread.shows(running_states)) ++running_count, running = t;
        if (thread.shows(active_states)) ++active_count, active = t;
    }
    if (running_count != 1) running = running_count > 1 && !cpu.is_virtual ? Cpu::too_many : nobody;
    if (active_count != 1) active = active_count > 1 && !cpu.is_virtual ? Cpu::too_many : nobody;
    update_crowding(cpu, running);
    bool one = running < Cpu::too_many;
    int64_t tid = one ? machine_.threads[running].tid : 0;
    int64_t pid = one ? machine_.system.processes()[machine_.threads[running].process].pid : 0;
    const auto write_own = [&](uint16_t type, int64_t value) { write(type, Record::no_row, cpu.row, value); };
    if (cpu.shown_tid != tid) write_own(prv_type::tid, tid);
    if (cpu.shown_pid != pid) write_own(prv_type::pid, pid);
    if (cpu.shown_count != running_count) write_own(prv_type::running_threads, running_count);
    cpu.shown_tid = tid, cpu.shown_pid = pid, cpu.shown_count = running_count;
    attach(c, running, active);
}

Value Tracker::cpu_value(const Cpu& cpu, uint16_t c) {
    uint32_t t = shown_thread(cpu, c);
    if (t == nobody) return plan_.channels[c].cpu_default;
    if (t == Cpu::too_many) {
        note(extras_.too_many_threads(c));
        return shown_value::too_many_threads;
    }
    if (machine_.threads[t].meets(visible_[c])) return machine_.channel(t, c).read();
    note(extras_.bad(c));
    return shown_value::bad;
}

void Tracker::cpu_channels_changed(uint32_t index) {
    const Cpu& cpu = machine_.cpus[index];
    unsigned changed = (cpu.running_changed ? running_thread : 0) | (cpu.active_changed ? active_thread : 0);
    if (changed == 0) return;
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        if ((follows_[c] & changed) == 0) continue;
        const ChannelPlan& channel = plan_.channels[c];
        if (channel.breakdown != ChannelPlan::no_breakdown) touch_breakdown(index, c);
        CpuShown& shown = cpu_shown(index, c);
        Value value = cpu_value(cpu, c);
        if (!update(shown.state, shown.number, channel, value)) continue;
        write(channel.prv_type, Record::no_row, cpu.row, value.number);
        if (has_punctual(channel)) note_line(cpu_punctual(index, c));
    }
}

void Tracker::finish(int64_t time) {
    for (Cpu& cpu : machine_.cpus)
        if (cpu.running == Cpu::too_many) cpu.crowded_ns += time - cpu.crowded_since;
}

}  // namespace ovni
