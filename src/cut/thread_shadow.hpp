// The state of a thread by the events of its stream: life cycle, CPU, open states of all models, definitions.
// Knows no channel and checks nothing; it is there to close what is open at one place of the stream, and to
// open it again at another, with events of the stream itself. See cut/cut_plan.hpp.
//
// What is opened comes in three steps, each with a clock of its own, because threads depend on each other:
// first all threads start and types are defined, then tasks are created, then states are opened. No two
// threads run on one physical CPU meanwhile: a thread that is not running at the end starts on the virtual
// CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "emu/state/machine.hpp"
#include "model/state_events.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Appends a normal event of at most 16 bytes of payload.
void append_event(std::string& out, EventCode code, int64_t raw_clock, std::span<const uint8_t> payload = {});

// A task as its events name it within its process. The events that create it and those that run it are of one
// model and one category.
struct TaskName {
    char model = 0, category = 0;
    uint32_t id = 0;
    friend bool operator<(const TaskName& a, const TaskName& b) {
        return std::tie(a.model, a.category, a.id) < std::tie(b.model, b.category, b.id);
    }
};
// The task that an event creates, runs, pauses or ends; nothing for other events.
std::optional<TaskName> task_of(const EventView& event);

class ThreadShadow {
 public:
    static constexpr int virtual_cpu = CpuInfo::virtual_index;
    enum class Definitions : uint8_t { kept, ignored };

    // The next event of the stream, of any kind. Marks of these types are no states.
    void follow(const EventView& event, const std::set<int>& punctual_marks, Definitions definitions);
    // An event of another thread moves this one.
    void move_to(int cpu) { cpu_ = cpu; }

    RunState state() const { return state_; }
    int cpu() const { return cpu_; }
    bool is_out_of_cpu() const { return is_out_of_cpu_; }
    bool lives() const { return state_ != RunState::unknown && state_ != RunState::dead; }
    bool has_definitions() const { return !definitions_.empty(); }
    // Tasks whose bodies are open, and those that were created.
    std::vector<TaskName> open_tasks() const;
    std::vector<TaskName> created_tasks() const;

    struct Clocks {  // raw
        int64_t start = 0, tasks = 0, states = 0;
    };
    // Appends the events that lead to this state; tasks only if `is_used` says so. On its way the thread runs
    // on the CPUs `visited`. Returns the gap that the stream is in, or has behind it, with its offset counted
    // from the beginning of `out`.
    std::optional<Gap> open(std::string& out, const Clocks& clocks, const std::set<int>& visited,
                            const std::function<bool(TaskName)>& is_used) const;
    // Appends the events that close what is open and end the thread. A thread that ended with open states may
    // have closed them in a later life: they are closed here.
    void close(std::string& out, int64_t raw_clock) const;

 private:
    struct State {
        const StateEvent* event = nullptr;
        uint64_t key = 0;
        std::string payload;      // what is kept of it
        bool is_paused = false;   // a body
        bool is_resumed = false;  // a body that began before a gap and went on behind it
    };

    void follow_event(const EventView& event, const std::set<int>& punctual_marks, Definitions definitions);
    bool follow_life(const EventView& event);
    void follow_state(const StateEvent& row, const EventView& event);
    void follow_site(const EventView& event);
    void clear();
    State* find(const StateEvent& row, uint64_t key);
    void open_states(std::string& out, int64_t clock, int cpu) const;
    void close_state(std::string& out, int64_t clock, const State& state) const;
    void start_to_run(std::string& out, int64_t clock) const;
    void append_start(std::string& out, int64_t clock, int cpu) const;

    RunState state_ = RunState::unknown;
    int cpu_ = virtual_cpu;
    bool is_out_of_cpu_ = false;   // by the kernel
    std::string start_;            // payload of the last OHx
    std::vector<State> states_;    // in the order in which they were opened
    std::string counters_;         // the last event of hardware counters
    std::vector<uint32_t> sites_;  // call sites of MPI, the last one used at the end
    std::string definitions_;      // events, one behind the other
    std::string tasks_;            // the events that create tasks, one behind the other
    bool had_gap_ = false;
    std::string gap_reason_;
    std::optional<Gap> gap_;  // that the stream is in
};

}  // namespace ovni
