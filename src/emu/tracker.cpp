#include "emu/tracker.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ovni {

Tracker::Tracker(const Plan& plan, Machine& machine)
    : plan_(plan),
      machine_(machine),
      extras_(plan.channels.size()),
      cpu_default_(plan.channels.size()),
      thread_shown_(machine.threads.size() * plan.channels.size()),
      cpu_shown_(machine.cpus.size() * plan.channels.size()),
      shown_state_(machine.threads.size(), -1),
      shown_tid_(machine.threads.size(), 0) {
    for (const ChannelPlan& channel : plan.channels) visible_.push_back(states_of(channel.tracking));
}

bool Tracker::update(Shown& shown, const ChannelPlan& channel, Value value) const {
    auto state = value.is_set ? Shown::State::number : Shown::State::nothing;
    if (channel.repeats != Repeats::write && shown.state == state && shown.number == value.number)
        if (channel.repeats == Repeats::skip || !value.is_set) return false;
    if (value.is_set && value.number == 0 && channel.zero == ChannelPlan::ZeroLegal::no) [[unlikely]]
        throw Error("the value 0 is not legal in " + channel.name);
    shown.state = state;
    shown.number = value.number;
    shown.line_time = now_;
    return true;
}

void Tracker::channel_changed(uint32_t t, uint16_t c) {
    const Thread& thread = machine_.threads[t];
    const ChannelPlan& channel = plan_.channels[c];
    const Value value = machine_.channel(t, c).read();
    bool visible = thread.shows(visible_[c]);
    bool thread_line =
        (visible || channel.tracking == Tracking::any) && update(thread_shown(t, c), channel, value);
    bool cpu_line = false;
    if (thread.cpu != nobody && shown_thread(machine_.cpus[thread.cpu], c) == t && visible)
        cpu_line = update(cpu_shown(thread.cpu, c), channel, value);
    if (thread_line || cpu_line)
        write(channel.prv_type, thread_line ? thread.row : Record::no_row,
              cpu_line ? machine_.cpus[thread.cpu].row : Record::no_row, value.number);
}

void Tracker::punctual_line(Shown& shown, uint16_t type, uint32_t thread_row, uint32_t cpu_row,
                            int64_t value) {
    int64_t begin = std::max({now_ - 1, shown.line_time, int64_t{0}});
    uint32_t order = begin < now_ ? order_ | Record::early : order_;
    if (shown.punctual_end == now_) {
        // Two at one time: the second takes the place of the line that ends the first.
        auto& records = queue_.records();
        auto end = std::find_if(records.rbegin(), records.rend(), [&](const Record& r) {
            return r.type == type && r.thread_row == thread_row && r.cpu_row == cpu_row;
        });
        records.erase(std::next(end).base());
    }
    queue_.append({begin, value, thread_row, cpu_row, order, type, 0});
    write(type, thread_row, cpu_row, shown.number);
    shown.line_time = shown.punctual_end = now_;
}

void Tracker::punctual(uint32_t t, uint16_t c, int64_t value) {
    const Thread& thread = machine_.threads[t];
    if (!thread.shows(visible_[c])) return;
    uint16_t type = plan_.channels[c].prv_type;
    punctual_line(thread_shown(t, c), type, thread.row, Record::no_row, value);
    if (thread.cpu == nobody) return;
    const Cpu& cpu = machine_.cpus[thread.cpu];
    if (shown_thread(cpu, c) == t)
        punctual_line(cpu_shown(thread.cpu, c), type, Record::no_row, cpu.row, value);
}

void Tracker::state_changed(uint32_t t) {
    const Thread& thread = machine_.threads[t];
    int64_t state = static_cast<int64_t>(thread.state);
    if (thread.traced == Traced::no && thread.state != RunState::dead) {
        state = shown_value::not_traced;
        note(ShownExtras::not_traced);
    }
    if (shown_state_[t] != state) write(prv_type::thread_state, thread.row, Record::no_row, state);
    shown_state_[t] = state;
    int64_t tid = thread.shows(active_states) ? thread.tid : 0;
    if (shown_tid_[t] != tid) write(prv_type::tid, thread.row, Record::no_row, tid);
    shown_tid_[t] = tid;
}

void Tracker::thread_channels_changed(uint32_t t) {
    const Thread& thread = machine_.threads[t];
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        const ChannelPlan& channel = plan_.channels[c];
        if (channel.tracking == Tracking::any) continue;
        Value value = thread.shows(visible_[c]) ? machine_.channel(t, c).read() : Value();
        if (update(thread_shown(t, c), channel, value))
            write(channel.prv_type, thread.row, Record::no_row, value.number);
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
    if (cpu.shown_tid != tid) write(prv_type::tid, Record::no_row, cpu.row, tid);
    if (cpu.shown_pid != pid) write(prv_type::pid, Record::no_row, cpu.row, pid);
    if (cpu.shown_count != running_count)
        write(prv_type::running_threads, Record::no_row, cpu.row, running_count);
    cpu.shown_tid = tid, cpu.shown_pid = pid, cpu.shown_count = running_count;
    cpu.running_changed = cpu.running != running;
    cpu.active_changed = cpu.active != active;
    cpu.running = running;
    cpu.active = active;
}

Value Tracker::cpu_value(const Cpu& cpu, uint16_t c) {
    uint32_t t = shown_thread(cpu, c);
    if (t == nobody) return cpu_default_[c];
    if (t == Cpu::too_many) {
        note(extras_.too_many_threads(c));
        return shown_value::too_many_threads;
    }
    if (machine_.threads[t].shows(visible_[c])) return machine_.channel(t, c).read();
    note(extras_.bad(c));
    return shown_value::bad;
}

void Tracker::cpu_channels_changed(uint32_t index) {
    Cpu& cpu = machine_.cpus[index];
    if (!cpu.running_changed && !cpu.active_changed) return;
    for (uint16_t c = 0; c < plan_.channel_count(); ++c) {
        const ChannelPlan& channel = plan_.channels[c];
        bool changed = cpu.running_changed || channel.cpu_tracking == Tracking::active;
        if (!changed) continue;
        Value value = cpu_value(cpu, c);
        if (update(cpu_shown(index, c), channel, value))
            write(channel.prv_type, Record::no_row, cpu.row, value.number);
    }
}

void Tracker::finish(int64_t time) {
    for (Cpu& cpu : machine_.cpus)
        if (cpu.running == Cpu::too_many) cpu.crowded_ns += time - cpu.crowded_since;
}

}  // namespace ovni
