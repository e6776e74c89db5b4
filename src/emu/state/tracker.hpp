// The contents of the rows. A thread row shows a channel while the thread is in the channel's states; a CPU
// row shows the channel of the only running (or active) thread on it, or an error state. The tracker receives
// what changed and appends the records.
//
// No memory here grows with threads x CPUs: a thread knows the rows of the CPUs that show it. Meanwhile such
// a row shows what the thread's own row shows, so one record serves both. What a CPU row showed is kept when
// the thread goes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/records/record_queue.hpp"
#include "emu/state/breakdown_values.hpp"
#include "emu/state/machine.hpp"

namespace ovni {

class Tracker {
 public:
    Tracker(const Plan& plan, Machine& machine);

    // The event at hand begins: its time in the trace, and EventView::order.
    void begin_event(int64_t time, uint32_t order) {
        now_ = time;
        order_ = order;
    }
    Moment moment() const { return {now_, order_}; }
    // Call after an event that was allowed: adds what follows from all its changes.
    void end_event() {
        if (breakdowns_.touched()) [[unlikely]]
            breakdowns_.collect(now_, order_, [&](uint32_t cpu, uint16_t channel) {
                return cpu_value(machine_.cpus[cpu], channel);
            });
    }

    // A push or pop that changed the number on top, in a channel for which is_plain() holds.
    void plain_change(Thread& thread, ThreadChannel& channel, uint16_t c) {
        if (!thread.meets(visible_[c])) return;
        channel.shown = channel.depth() == 0 ? Shown::State::nothing : Shown::State::number;
        channel.shown_number = channel.top();
        queue_.append({now_, channel.top(), thread.row, thread.running_on, order_, plain_type_[c]});
    }
    // True if every push and pop of a value other than 0 makes one line wherever the channel is visible.
    bool is_plain(uint16_t c) const { return plain_type_[c] != 0; }

    // A channel of a thread was written.
    void channel_changed(uint32_t thread, uint16_t channel);
    // A channel shows `value` from 1 ns ago until now, then what it showed before.
    void punctual(uint32_t thread, uint16_t channel, int64_t value);
    // A value of the instant: one line in the row of the thread, and in that of the CPU that it runs on.
    void instant(uint32_t thread, uint16_t type, int64_t value) {
        const Thread& of = machine_.threads[thread];
        write(type, of.row, of.running_on, value);
    }
    // The state of a thread was written: its own row, and, after the CPUs were updated, its channels.
    void state_changed(uint32_t thread);
    void thread_channels_changed(uint32_t thread);
    // A thread was assigned to another CPU, or to none.
    void affinity_changed(uint32_t thread);
    // The threads of a CPU or their states changed: first the row's own values, then its channels.
    void cpu_changed(uint32_t cpu);
    void cpu_channels_changed(uint32_t cpu);

    // The end of the trace, for the report of CPUs that are still crowded.
    void finish(int64_t time);

    RecordQueue& queue() { return queue_; }
    BreakdownValues& breakdowns() { return breakdowns_; }
    const ShownExtras& extras() const { return extras_; }
    // A further state is shown, by its place among those of all channels.
    void note_further(uint32_t number) { note(extras_.further(number)); }

 private:
    // The value that a CPU row showed of a channel while no thread's row showed it for that CPU.
    struct CpuShown {
        int64_t number = 0;
        Shown::State state = Shown::State::unset;
    };
    // The lines of one row for a channel that has punctual states.
    struct PunctualLines {
        int64_t last_time = -1;
    };

    // The threads of a CPU that its row may follow.
    static constexpr unsigned running_thread = 1, active_thread = 2;

    // True if a row needs a new line for `value`; updates what it has `shown`.
    static bool update(Shown::State& shown, int64_t& number, const ChannelPlan& channel, Value value);
    bool update_thread(ThreadChannel& shown, const ChannelPlan& channel, Value value) {
        return update(shown.shown, shown.shown_number, channel, value);
    }
    void write(uint16_t type, uint32_t thread_row, uint32_t cpu_row, int64_t value) {
        queue_.append({now_, value, thread_row, cpu_row, order_, type});
    }
    void punctual_line(PunctualLines& lines, const Record& line, int64_t before);
    static bool has_punctual(const ChannelPlan& channel) {
        return channel.punctual == ChannelPlan::Punctual::yes;
    }
    PunctualLines& thread_punctual(uint32_t thread, uint16_t c);
    PunctualLines& cpu_punctual(uint32_t cpu, uint16_t c);
    void note_line(PunctualLines& lines) const { lines.last_time = now_; }

    CpuShown& cpu_shown(uint32_t cpu, uint16_t c) { return cpu_shown_[cpu * plan_.channels.size() + c]; }
    // True if what a CPU row shows of its thread is always a line of the thread's row, too.
    static bool shares_lines(const ChannelPlan& channel) {
        return channel.tracking != Tracking::any &&
               (channel.cpu_tracking == Tracking::running || channel.tracking == Tracking::active);
    }
    uint32_t shown_thread(const Cpu& cpu, uint16_t c) const {
        return plan_.channels[c].cpu_tracking == Tracking::active ? cpu.active : cpu.running;
    }
    uint32_t cpu_row_of(const Thread& thread, uint16_t c) const {
        Tracking tracking = plan_.channels[c].cpu_tracking;
        if (tracking == Tracking::running) return thread.running_on;
        return tracking == Tracking::active ? thread.active_on : Record::no_row;
    }
    void note(size_t extra) { extras_.note(extra, {now_, order_}); }
    Value cpu_value(const Cpu& cpu, uint16_t c);
    Value disabled_value(const Thread& thread, uint16_t c);
    static unsigned followed_by(const ChannelPlan& channel);
    void update_crowding(Cpu& cpu, uint32_t running);
    void keep_shown(uint32_t cpu, uint32_t thread, Tracking tracking);
    void attach(uint32_t cpu, uint32_t running, uint32_t active);
    void touch_breakdown(uint32_t cpu, uint16_t channel);

    const Plan& plan_;
    Machine& machine_;
    RecordQueue queue_;
    BreakdownValues breakdowns_;
    ShownExtras extras_;
    std::vector<uint32_t> visible_;     // by channel: conditions in which a thread row shows it
    std::vector<uint8_t> follows_;      // by channel: changes of a CPU after which its row may change
    std::vector<uint16_t> plain_type_;  // by channel: its PRV type where is_plain() holds, else 0
    std::vector<CpuShown> cpu_shown_;
    std::vector<uint16_t> punctual_index_;  // by channel: its place among the punctual ones
    size_t punctual_count_ = 0;
    std::vector<PunctualLines> thread_punctual_, cpu_punctual_;
    std::vector<int64_t> shown_state_, shown_tid_;
    int64_t now_ = 0;
    uint32_t order_ = 0;
};

}  // namespace ovni
