// The events of one thread of a generated trace: always legal for the emulator, everything closed at the end.
// One stack holds what is open, over all models, so regions and tasks nest properly.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tests/bench/activity.hpp"
#include "tests/bench/stream_file.hpp"

namespace ovni::bench {

// Regions: enter and leave regions of all models. Tasks: create, execute, pause, resume and end tasks of the
// first model that has them, with its regions between. Messages: message_script.hpp.
enum class Mix : uint8_t { regions, tasks, messages };

// A small generator of our own, so that a trace depends on nothing but its seed.
class Random {
 public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {  // splitmix64
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

 private:
    uint64_t state_;
};

struct ThreadPlan {
    Mix mix = Mix::regions;
    std::span<const Activity* const> activities;
    int32_t cpu = 0;       // index in the loom
    uint32_t thread = 0;   // index in the process
    uint32_t threads = 1;  // of the process
    uint64_t seed = 0;
    uint32_t gap = 1000;  // mean ns between events
    // So many events of no effect follow each event but those that begin and end the thread and declare
    // types: an even number, at most gap / 2 - 1.
    uint32_t idle = 0;
};

class ThreadScript {
 public:
    ThreadScript(const ThreadPlan& plan, StreamFile& file);

    // Fewest events that write() can do.
    static uint64_t least_events(const ThreadPlan& plan);
    // From the beginning of the thread to its end, `events` in all, and the idle ones.
    void write(uint64_t events);

 private:
    static constexpr uint32_t task_types = 8, waiting_tasks_most = 16;
    static constexpr int64_t first_clock = 1'000'000'000;

    enum class Kind : uint8_t { region, body, paused };
    struct Open {
        Kind kind;
        uint8_t activity;      // index in the plan
        uint8_t region;        // of a region: index in the activity
        uint32_t task;         // of a body, and of the body that is paused
        const Region* events;  // of a region
    };

    const TaskEvents& tasks() const { return *plan_.activities[task_activity_]->tasks; }
    Open& top() { return open_[depth_ - 1]; }
    int64_t tick() { return clock_ += plan_.gap / 2 + random_.below(plan_.gap); }
    bool body_runs() const;
    void declare_types();
    void idle();
    void step();
    void step_tasks();
    void enter(uint32_t activity);
    void leave();
    void create();
    void execute();
    void pause();
    void task_event(EventCode code, uint32_t task);

    ThreadPlan plan_;
    StreamFile& file_;
    Random random_;
    int64_t clock_ = 0;
    uint32_t depth_ = 0, deepest_ = 4;
    std::array<Open, 8> open_{};
    uint32_t task_activity_ = 0;           // index in the plan
    uint32_t created_ = 0, executed_ = 0;  // tasks of this thread
};

}  // namespace ovni::bench
