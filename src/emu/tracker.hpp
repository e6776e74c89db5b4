// What the rows show. A thread row shows a channel while the thread is in the channel's states; a CPU row
// shows the channel of the only running (or active) thread on it, or an error state. The tracker is told what
// changed and appends the records.
//
// Nothing here grows with threads x CPUs: a thread knows its CPU, and a CPU the thread that it shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emu/machine.hpp"
#include "emu/plan.hpp"
#include "emu/record_queue.hpp"

namespace ovni {

class Tracker {
 public:
    Tracker(const Plan& plan, Machine& machine);

    // Of the event at hand: its time in the trace, and EventView::order.
    void begin_event(int64_t time, uint32_t order) {
        now_ = time;
        order_ = order;
    }

    // A channel of a thread was written.
    void channel_changed(uint32_t thread, uint16_t channel);
    // A channel shows `value` from 1 ns ago until now, then what it showed before.
    void punctual(uint32_t thread, uint16_t channel, int64_t value);
    // The state of a thread was written: its own row, and, after the CPUs were updated, its channels.
    void state_changed(uint32_t thread);
    void thread_channels_changed(uint32_t thread);
    // A thread was assigned to another CPU, or to none.
    void affinity_changed(uint32_t thread);
    // The threads of a CPU or their states changed: first the row's own values, then its channels.
    void cpu_changed(uint32_t cpu);
    void cpu_channels_changed(uint32_t cpu);

    // The value that a CPU row shows where no thread runs on it; nothing unless set.
    void set_cpu_default(uint16_t channel, Value value) { cpu_default_[channel] = value; }

    // The end of the trace, for the report of CPUs that are still crowded.
    void finish(int64_t time);

    RecordQueue& queue() { return queue_; }
    const ShownExtras& extras() const { return extras_; }

 private:
    // What one row shows of one channel.
    struct Shown {
        enum class State : uint8_t { unset, nothing, number };
        int64_t number = 0;
        int64_t line_time = -1;
        int64_t punctual_end = -1;  // when the last punctual state ended
        State state = State::unset;
    };

    // Should a row that shows `shown` get a line for `value`? Then it shows it.
    bool update(Shown& shown, const ChannelPlan& channel, Value value) const;
    void write(uint16_t type, uint32_t thread_row, uint32_t cpu_row, int64_t value) {
        queue_.append({now_, value, thread_row, cpu_row, order_, type, 0});
    }
    void punctual_line(Shown& shown, uint16_t type, uint32_t thread_row, uint32_t cpu_row, int64_t value);
    Shown& thread_shown(uint32_t thread, uint16_t c) {
        return thread_shown_[thread * plan_.channels.size() + c];
    }
    Shown& cpu_shown(uint32_t cpu, uint16_t c) { return cpu_shown_[cpu * plan_.channels.size() + c]; }
    uint32_t shown_thread(const Cpu& cpu, uint16_t c) const {
        return plan_.channels[c].cpu_tracking == Tracking::active ? cpu.active : cpu.running;
    }
    void note(size_t extra) { extras_.note(extra, {now_, order_}); }
    Value cpu_value(const Cpu& cpu, uint16_t c);
    void update_crowding(Cpu& cpu, uint32_t running);

    const Plan& plan_;
    Machine& machine_;
    RecordQueue queue_;
    ShownExtras extras_;
    std::vector<uint8_t> visible_;  // by channel: states in which a thread row shows it
    std::vector<Value> cpu_default_;
    std::vector<Shown> thread_shown_, cpu_shown_;
    std::vector<int64_t> shown_state_, shown_tid_;
    int64_t now_ = 0;
    uint32_t order_ = 0;
};

}  // namespace ovni
