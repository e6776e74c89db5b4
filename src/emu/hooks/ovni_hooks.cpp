// The hooks of the model `ovni`: the life cycle of threads, their CPUs, marks, and the probes of the writer.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "base/error.hpp"
#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"
#include "model/channel_numbers.hpp"

namespace ovni {

namespace {

// A step of the life cycle between its beginning and its end: from which states, to which.
struct LifeStep {
    uint8_t from;
    RunState to;
    const char* what;
};

constexpr uint8_t running_or_cooling = state_bit(RunState::running) | state_bit(RunState::cooling);
constexpr LifeStep pause{running_or_cooling, RunState::paused, "pause"};
constexpr LifeStep resume{state_bit(RunState::paused) | state_bit(RunState::warming), RunState::running,
                          "run again"};
constexpr LifeStep cool{state_bit(RunState::running), RunState::cooling, "cool down"};
constexpr LifeStep warm{state_bit(RunState::paused), RunState::warming, "warm up"};

void check_state(const Thread& thread, uint8_t from, const char* what) {
    if (!thread.in(from))
        throw Error(fmt::format("thread {} cannot {}: it is {}", thread.tid, what,
                                run_state_names[static_cast<size_t>(thread.state())]));
}

// Behind a gap a thread may be in any state.
void expect_state(Emulator& emulator, uint32_t t, uint8_t from, const char* what) {
    const Thread& thread = emulator.machine().threads[t];
    if (!thread.in(from) && !emulator.lost_state(t)) check_state(thread, from, what);
}

uint32_t cpu_of_event(Emulator& emulator, const Thread& thread, int index) {
    uint32_t cpu = emulator.machine().find_cpu(thread.loom, index);
    if (cpu == nobody)
        throw Error(fmt::format("loom {} has no CPU with index {}",
                                emulator.machine().system.looms()[thread.loom].name, index));
    return cpu;
}

void execute(Emulator& emulator, uint32_t t, const EventView& event) {
    Thread& thread = emulator.machine().threads[t];
    constexpr uint8_t not_there = state_bit(RunState::unknown) | state_bit(RunState::dead);
    expect_state(emulator, t, not_there, "start to run");
    if (!thread.in(not_there)) emulator.leave_cpu(t);
    uint32_t cpu = cpu_of_event(emulator, thread, argument<int32_t>(event, 0));
    thread.cpu = cpu;
    emulator.tracker().affinity_changed(t);
    emulator.set_state(t, RunState::running);
    emulator.enter_cpu(t, cpu);
}

void end(Emulator& emulator, uint32_t t, const EventView&) {
    expect_state(emulator, t, running_or_cooling, "end");
    emulator.set_state(t, RunState::dead);
    emulator.leave_cpu(t);
    emulator.tracker().affinity_changed(t);
    emulator.machine().threads[t].had_gap = false;
}

template <const LifeStep& step>
void change_state(Emulator& emulator, uint32_t t, const EventView&) {
    expect_state(emulator, t, step.from, step.what);
    emulator.set_state(t, step.to);
    emulator.update_cpu(t);
}

void move_itself(Emulator& emulator, uint32_t t, const EventView& event) {
    expect_payload(event, 4);
    const Thread& thread = emulator.machine().threads[t];
    expect_state(emulator, t, active_states, "move to another CPU");
    if (!thread.in(active_states)) {
        emulator.set_state(t, RunState::running);
        emulator.update_cpu(t);
    }
    uint32_t cpu = cpu_of_event(emulator, thread, argument<int32_t>(event, 0));
    if (cpu != thread.cpu) emulator.migrate(t, cpu);
}

void move_other(Emulator& emulator, uint32_t t, const EventView& event) {
    expect_payload(event, 8);
    auto tid = argument<int32_t>(event, 4);
    uint32_t target = emulator.machine().find_thread(emulator.machine().threads[t], tid);
    if (target == nobody) throw Error(fmt::format("there is no thread {} in the loom", tid));
    const Thread& thread = emulator.machine().threads[target];
    // The thread may have ended or been moved in what is missing.
    bool uncertain = emulator.machine().has_lost_events(thread.loom);
    constexpr uint8_t movable = active_states | state_bit(RunState::paused);
    if (uncertain && !thread.in(movable)) return emulator.note(Oddity::lost_target);
    check_state(thread, movable, "be moved to another CPU");
    uint32_t cpu = cpu_of_event(emulator, thread, argument<int32_t>(event, 0));
    if (uncertain && cpu == thread.cpu) return emulator.note(Oddity::lost_target);
    if (cpu == thread.cpu) throw Error(fmt::format("thread {} is on that CPU already", tid));
    emulator.migrate(target, cpu);
}

struct MarkEvent {
    int64_t value = 0;
    int32_t type = 0;
};

MarkEvent read_mark(const EventView& event) {
    expect_payload(event, sizeof(int64_t) + sizeof(int32_t));
    MarkEvent mark;
    const uint8_t* payload = event.bytes + OVNI_FORMAT_EVENT_HEADER;
    std::memcpy(&mark.value, payload, sizeof mark.value);
    std::memcpy(&mark.type, payload + sizeof mark.value, sizeof mark.type);
    if (mark.value == 0) throw Error("a mark of value 0");
    return mark;
}

template <Action action>
void mark(Emulator& emulator, uint32_t t, const EventView& event) {
    constexpr int levels = action == Action::push ? 1 : -1;
    MarkEvent read = read_mark(event);
    uint16_t c = emulator.plan().mark_channel(read.type);
    const ChannelPlan& channel = emulator.plan().channels[c];
    if (action == Action::set && channel.kind == ChannelKind::punctual)
        return emulator.punctual(t, c, read.value);
    if (action != Action::set && emulator.tracker().is_plain(c) &&
        emulator.try_step(emulator.machine().threads[t], c, levels, read.value, channel.duplicates))
        return;
    emulator.change(t, c, action, read.value);
}

uint16_t flush_channel(Emulator& emulator) {
    return emulator.channel('O', ovni_channel::flush);
}

void begin_flush(Emulator& emulator, uint32_t t, const EventView&) {
    emulator.change(t, flush_channel(emulator), Action::set, 1);
    emulator.machine().threads[t].flush_begin = emulator.now();
}

void end_flush(Emulator& emulator, uint32_t t, const EventView&) {
    constexpr int64_t slow_ns = 10'000'000;
    emulator.change(t, flush_channel(emulator), Action::clear, 0);
    const Thread& thread = emulator.machine().threads[t];
    bool slow = emulator.now() - thread.flush_begin > slow_ns && thread.in(running_states);
    if (slow) emulator.note(Oddity::slow_flush);
}

// The cost of one event, from 100 events in a row.
void burst(Emulator& emulator, uint32_t t, const EventView& event) {
    constexpr size_t burst_length = 100;
    Thread& thread = emulator.machine().threads[t];
    thread.burst.push_back(emulator.now());
    if (thread.burst.size() < burst_length) return;
    std::vector<int64_t> deltas(burst_length);
    std::adjacent_difference(thread.burst.begin(), thread.burst.end(), deltas.begin());
    deltas.erase(deltas.begin());
    std::ranges::sort(deltas);
    double sum = std::accumulate(deltas.begin(), deltas.end(), 0.0);
    emulator.note(Burst{emulator.now(), event.order, thread.row,
                        static_cast<double>(deltas[deltas.size() / 2]),
                        sum / static_cast<double>(deltas.size()), static_cast<double>(deltas.back())});
    thread.burst.clear();
}

void old_cpu_count(Emulator& emulator, uint32_t, const EventView&) {
    emulator.note(Oddity::old_event);
}

constexpr Hook ovni_hook_table[] = {
    {"OHx", execute},
    {"OHe", end},
    {"OHp", change_state<pause>},
    {"OHr", change_state<resume>},
    {"OHc", change_state<cool>},
    {"OHw", change_state<warm>},
    {"OAs", move_itself},
    {"OAr", move_other},
    {"OM[", mark<Action::push>},
    {"OM]", mark<Action::pop>},
    {"OM=", mark<Action::set>},
    {"OB.", burst},
    {"OF[", begin_flush},
    {"OF]", end_flush},
    {"OCn", old_cpu_count},
};

}  // namespace

std::span<const Hook> ovni_hooks() {
    return ovni_hook_table;
}

}  // namespace ovni
