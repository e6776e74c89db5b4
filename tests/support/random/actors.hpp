// The looms of a trace while it is played: what an emulator would know of them at the present moment, as far
// as it decides which event is legal next.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random/dice.hpp"
#include "tests/support/random/timeline.hpp"
#include "tests/support/random_trace.hpp"

namespace ovni::test::random_trace {

class Activity;
class Life;
struct World;

// A task of a process, of the models that have them.
struct Task {
    uint32_t id = 0, type = 0;
    bool parallel = false;
    bool in_stack = false;           // its only body runs or is paused
    bool executed = false;           // at least once
    std::set<uint32_t> bodies = {};  // of a parallel task, so far
};

struct TaskTable {
    std::vector<uint32_t> types;
    std::deque<Task> tasks;
    std::set<uint32_t> type_ids, task_ids;
};

struct Process {
    int number;  // in its loom
    int pid;
    std::optional<int> rank;
    int app_id;
    std::vector<Thread*> threads = {};
    std::map<char, TaskTable> tasks = {};  // by model
};

struct Loom {
    std::string name;
    int64_t clock_offset = 0;               // added to its clocks gives the time line's
    std::vector<std::pair<int, int>> cpus;  // index, phyid
    std::deque<Process> processes;
    std::vector<Thread*> threads;
    std::vector<int> running;  // threads in state Running, of each physical CPU
    Touched touched;
};

inline constexpr int virtual_cpu = -1;

enum class State { unknown, running, paused, dead, cooling, warming };

struct Thread {
    Thread(World& its_world, Loom& its_loom, Process& its_process, int its_tid);
    ~Thread();
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    bool active() const {
        return state == State::running || state == State::cooling || state == State::warming;
    }
    // Whether the state allows events of that model.
    bool may(char model) const;
    void event(EventCode code, Arguments arguments = {}, const Resources& touches = {});
    void jumbo(EventCode code, Arguments arguments, const Resources& touches = {});

    World& world;
    Loom& loom;
    Process& process;
    int tid;
    int number;  // in its loom
    StreamBuilder* stream = nullptr;
    int events = 0;
    State state = State::unknown;
    std::optional<int> cpu;  // index in the loom, or virtual_cpu
    bool out_of_cpu = false;
    bool closes = true;  // what is open, before its end

    struct Choice {
        int weight;
        std::unique_ptr<Activity> activity;
    };
    std::unique_ptr<Life> life;
    std::vector<Choice> choices;

 private:
    int64_t next_clock(const Resources& touches);
};

// A mark type of the whole trace; threads define all of it, a part or nothing.
struct MarkType {
    int type;
    bool stack;
    std::string title;
    std::vector<std::pair<int64_t, std::string>> labels;
};

struct World {
    explicit World(const RandomTrace& description)
        : what(description), dice(description.seed), timeline(dice, description) {}

    const RandomTrace what;
    Dice dice;
    Timeline timeline;
    std::vector<MarkType> marks;
    std::deque<Loom> looms;
    std::deque<Thread> threads;
};

}  // namespace ovni::test::random_trace
