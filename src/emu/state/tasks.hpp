// Tasks, their types and their bodies: what the models of task runtimes (nosv, nanos6, openmp) have in
// common. Types and tasks belong to a process, one set for each model; a body runs on the stack of bodies of
// one thread, and only the body on top can change.
//
// Functions throw Error, without place, for what a runtime must not do. After a gap in the stream of a thread
// more is allowed: what ends, pauses or goes on there may have begun before the gap or inside.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/state/id_map.hpp"
#include "emu/state/machine.hpp"

namespace ovni {

// The abilities of a task besides running once.
namespace task_flag {
inline constexpr uint8_t parallel = 1;   // has several bodies
inline constexpr uint8_t resurrect = 2;  // a body that ended may run again
inline constexpr uint8_t pause = 4;      // bodies may pause
inline constexpr uint8_t relax = 8;      // another body may start over a running one
}  // namespace task_flag

// A type as the PCF lists it: label and the value that stands for it.
struct TaskType {
    int64_t gid = 0;
    Moment created;
    std::string label;
};

struct RunningBody {
    uint32_t task = 0;
    uint32_t body = 0;  // 1 for the only one
    Value type;         // gid; nothing if the creation of the task lies in a gap
};

class Tasks {
 public:
    Tasks(const Plan& plan, Machine& machine);

    // `model`: id of the model. Ids of types are not 0; an empty label is replaced.
    void create_type(uint32_t thread, char model, uint32_t id, std::string_view label, Moment created);
    bool has_type(uint32_t thread, char model, uint32_t id) const;
    void create(uint32_t thread, char model, uint32_t id, uint32_t type, uint8_t flags);
    // The gid of a type of the thread's process; nothing if its creation may lie in a gap.
    Value gid_of_type(uint32_t thread, char model, uint32_t type) const;

    // The next step of a body. `body`: its id in a parallel task, from 1; 0 in others, which have one.
    enum class Step : uint8_t { execute, pause, resume, end };
    enum class Outcome : uint8_t { done, nested, tolerated };  // nested: over a running body
    Outcome step(uint32_t thread, char model, Step step, uint32_t task, uint32_t body);
    // The body on top of the thread's stack, if it is running.
    std::optional<RunningBody> running(uint32_t thread, char model) const;

    // A gap in the thread's stream begins, or the stream was cut: no body is on its stack any more.
    void close_bodies(uint32_t thread);

    // Types of a process in the order of their creation; none for a process of another emulator.
    std::span<const TaskType> types(uint32_t process, char model) const;

 private:
    enum class State : uint8_t { created, running, paused, dead };
    struct Body {
        uint32_t thread = nobody;  // on whose stack it is
        State state = State::created;
    };
    struct Task {
        uint32_t id = 0;
        uint32_t type = IdMap::none;  // position in types
        Body only;                    // unless it is parallel
        uint8_t flags = 0;
    };
    // All of one process and one model.
    struct Family {
        IdMap type_of, task_of, body_of;
        std::vector<TaskType> types;
        std::vector<Task> tasks;
        std::vector<Body> bodies;  // of parallel tasks
        bool had_gap = false;
    };
    struct OnStack {
        uint32_t task = 0;  // position in Family::tasks
        uint32_t body = 0;
        uint32_t position = IdMap::none;  // in Family::bodies; none: Task::only
    };
    static constexpr uint8_t no_family = 0xff;

    size_t index(size_t of, char model) const {
        return of * family_count_ + family_of_[static_cast<uint8_t>(model)];
    }
    Family& family(uint32_t thread, char model);
    std::vector<OnStack>& stack(uint32_t thread, char model) { return stacks_[index(thread, model)]; }
    static Body& body_at(Family& family, const OnStack& where);
    uint32_t find_task(uint32_t thread, Family& family, Step step, uint32_t task, uint32_t body);
    OnStack find_body(uint32_t thread, Family& family, Step step, uint32_t task, uint32_t body);
    Outcome execute(uint32_t thread, char model, Family& family, const OnStack& where);
    void check_top(uint32_t thread, char model, Family& family, const OnStack& where, Step step);

    Machine& machine_;
    uint8_t family_count_ = 0;
    std::array<uint8_t, 128> family_of_{};           // by id of a model
    std::vector<std::unique_ptr<Family>> families_;  // by process and model
    std::vector<std::vector<OnStack>> stacks_;       // by thread and model
};

}  // namespace ovni
