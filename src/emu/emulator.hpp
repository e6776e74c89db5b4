// Applies events to the state of threads and CPUs and appends the resulting records. Works on the processes
// that it is given: all of them in the serial emulator, some on each rank. Events come in the order of a
// Merger; what an event does is looked up once, in a table made from the enabled models.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/prefetch.hpp"
#include "emu/bursts.hpp"
#include "emu/dispatch.hpp"
#include "emu/lost_events.hpp"
#include "emu/oddities.hpp"
#include "emu/plan/plan.hpp"
#include "emu/plan/share.hpp"
#include "emu/state/machine.hpp"
#include "emu/state/tasks.hpp"
#include "emu/state/thread_sites.hpp"
#include "emu/state/tracker.hpp"
#include "trace/event_view.hpp"
#include "trace/merger.hpp"

namespace ovni {

// More than one running thread on a physical CPU: shown as an error state, or, in linter mode, an error.
enum class Strictness { tolerant, linter };

class Emulator {
 public:
    // `origin`: corrected clock of the first event of the trace. `mine`: the share to emulate.
    Emulator(const Trace& trace, const System& system, const Plan& plan, Strictness strictness,
             int64_t origin, const Share& mine);

    // Throws Error, with the place and the time, for an event that is not allowed; the records of that event
    // are dropped, those of all earlier ones stay.
    void apply(const EventView& event);

    // Bring into the cache what an event that comes later will need: first its thread, then the channel that
    // it changes.
    void fetch_thread(uint32_t stream) const {
        const uint32_t t = machine_.thread_of_stream(stream);
        if (t != nobody) prefetch(&machine_.threads[t]);
    }
    void fetch_channel(uint32_t stream, EventCode code) const {
        const uint32_t t = machine_.thread_of_stream(stream);
        const Operation* operation = dispatch_.find(code);
        if (t != nobody && operation) prefetch(machine_.threads[t].channels + operation->channel);
    }

    int64_t now() const { return now_; }
    uint64_t events() const { return events_; }
    Tracker& tracker() { return tracker_; }
    Machine& machine() { return machine_; }
    Tasks& tasks() { return tasks_; }
    const Plan& plan() const { return plan_; }

    // Changes of state that hooks ask for, besides their changes to the machine itself.
    void set_state(uint32_t thread, RunState state);
    // True if missing events may have changed the state of the thread, so that its next event is accepted in
    // any state. Then a thread without a CPU is put on the virtual one.
    bool lost_state(uint32_t thread);
    void enter_cpu(uint32_t thread, uint32_t cpu);
    void leave_cpu(uint32_t thread);
    void migrate(uint32_t thread, uint32_t cpu);
    void update_cpu(uint32_t thread) { touch_cpu(machine_.threads[thread].cpu); }
    void change(uint32_t thread, uint16_t channel, Action action, int64_t value);
    // The channel with that number in the table of an enabled model.
    uint16_t channel(char model, uint8_t number) const {
        return static_cast<uint16_t>(first_channel_[static_cast<uint8_t>(model)] + number);
    }
    ThreadSites& call_sites() { return call_sites_; }
    // The thread has entered or left a function, an index in mpi_function_rows.
    void show_call_site(uint32_t thread, uint16_t function, Action action) {
        if (plan_.site_channel == Plan::no_channel) return;
        Value site = action == Action::push ? call_sites_.site_of(thread, function) : Value();
        if (site.is_set || machine_.channel(thread, plan_.site_channel).read().is_set)
            show(thread, plan_.site_channel, site);
    }
    // Sets a single channel, or clears it if there is no value.
    void show(uint32_t thread, uint16_t channel, Value value) {
        // After a gap the channel may be empty already.
        bool empty = !machine_.channel(thread, channel).read().is_set;
        if (!value.is_set && empty && machine_.threads[thread].had_gap) return;
        change(thread, channel, value.is_set ? Action::set : Action::clear, value.number);
    }
    // Pushes (+1) or pops (-1) a value other than 0 in a plain channel. Returns false, and does nothing, if
    // change() has to decide.
    bool try_step(Thread& thread, uint16_t c, int levels, int64_t value, Duplicates duplicates) {
        ThreadChannel& channel = thread.channels[c];
        if (!channel.try_step(levels, value, duplicates)) [[unlikely]]
            return false;
        tracker_.plain_change(thread, channel, c);
        return true;
    }
    void punctual(uint32_t thread, uint16_t channel, int64_t value) {
        tracker_.punctual(thread, channel, value);
    }
    void note(Oddity what) { oddities_.note(what); }
    const Oddities& oddities() const { return oddities_; }
    const LostEvents& lost_events() const { return lost_events_; }
    void note(const Burst& burst) { bursts_.add(burst); }
    const Bursts& bursts() const { return bursts_; }

 private:
    void apply_other(const EventView& event, uint32_t thread, const Operation* operation);
    void apply_operation(const EventView& event, uint32_t thread, const Operation& operation);
    void apply_mark(const EventView& event, uint32_t thread);
    void begin_gap(uint32_t thread);
    void set_traced(uint32_t thread, Traced traced);
    void end_stream(uint32_t thread);
    void close_states(uint32_t thread);
    bool follows_gap(const ChannelPlan& plan, const Channel& channel, Action action, int64_t value);
    bool are_exact(const Cpu& cpu) const;
    void touch_cpu(uint32_t cpu);
    // After a hook: channels of the threads and CPUs whose state changed, in the order in which it did.
    void propagate();
    [[noreturn]] void forbidden(const Operation& operation, const Thread& thread) const;
    // Throws, unless the model ignores the whole category.
    void unknown_event(EventCode code) const;
    [[noreturn]] void rethrow(const EventView& event, const std::string& cause) const;

    const Trace& trace_;
    const Plan& plan_;
    Strictness strictness_;
    int64_t origin_;
    int64_t now_ = 0;
    uint64_t events_ = 0;
    Oddities oddities_;
    LostEvents lost_events_;
    Bursts bursts_;
    Machine machine_;
    Tracker tracker_;
    Dispatch dispatch_;
    std::array<uint16_t, 128> first_channel_{};  // by id of a model
    Tasks tasks_;
    ThreadSites call_sites_;
    std::vector<uint32_t> changed_threads_, changed_cpus_;
};

}  // namespace ovni
