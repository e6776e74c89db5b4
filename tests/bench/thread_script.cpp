#include "tests/bench/thread_script.hpp"

#include <algorithm>
#include <string>

namespace ovni::bench {

ThreadScript::ThreadScript(const ThreadPlan& plan, StreamFile& file)
    : plan_(plan), file_(file), random_(plan.seed) {
    if (plan.mix == Mix::regions) return;
    deepest_ = 6;
    task_activity_ = static_cast<uint32_t>(
        std::ranges::find_if(plan.activities, [](const Activity* a) { return a->tasks != nullptr; }) -
        plan.activities.begin());
}

uint64_t ThreadScript::least_events(const ThreadPlan& plan) {
    bool declares = plan.mix == Mix::tasks && plan.thread == 0;
    return 2 + (declares ? task_types : 0);
}

void ThreadScript::write(uint64_t events) {
    clock_ = first_clock + (plan_.thread == 0 ? 0 : 2000 + random_.below(1000));
    file_.event("OHx", clock_, plan_.cpu, int32_t{-1}, uint64_t{0});
    uint64_t left = events - least_events(plan_);
    if (plan_.mix == Mix::tasks && plan_.thread == 0) declare_types();
    for (; left > 0; --left) {
        if (left <= depth_)
            leave();
        else if (left == depth_ + 1)
            file_.event("OB.", tick());
        else
            step();
        idle();
    }
    file_.event("OHe", tick());
}

// The first thread of a process declares the types, before the others begin, so they are known to all.
void ThreadScript::declare_types() {
    for (uint32_t type = 1; type <= task_types; ++type)
        file_.labelled(tasks().type, first_clock + int64_t{100} * type, type,
                       "task type " + std::to_string(type));
    clock_ = first_clock + 2000;
}

// Unsorted regions without events. They change no clock of another event.
void ThreadScript::idle() {
    static constexpr EventCode begin = "OU[", end = "OU]";
    for (uint32_t i = 0; i < plan_.idle; ++i) {
        const int64_t clock = clock_ + 1 + int64_t{i} * (plan_.gap / 2 - 1) / plan_.idle;
        file_.event(i % 2 == 0 ? begin : end, clock);
    }
}

// Exactly one event, and at most one more level.
void ThreadScript::step() {
    if (plan_.mix == Mix::tasks) return step_tasks();
    bool down = depth_ == 0 || (depth_ < deepest_ && random_.below(2) == 0);
    if (down)
        enter(random_.below(static_cast<uint32_t>(plan_.activities.size())));
    else
        leave();
}

void ThreadScript::step_tasks() {
    uint32_t choice = random_.below(8);
    if (depth_ > 0 && (depth_ == deepest_ || choice < 3)) return leave();
    bool waiting = created_ > executed_;
    if (body_runs()) {
        if (choice == 3 && created_ - executed_ < waiting_tasks_most) return create();
        if (choice == 4) return pause();
        return enter(task_activity_);
    }
    // Directly over a paused body no model lets another one begin.
    if (depth_ > 0 && top().kind == Kind::paused) return enter(task_activity_);
    if (!waiting) return create();
    return choice == 3 ? enter(task_activity_) : execute();
}

bool ThreadScript::body_runs() const {
    for (uint32_t d = depth_; d-- > 0;)
        if (open_[d].kind != Kind::region) return open_[d].kind == Kind::body;
    return false;
}

void ThreadScript::enter(uint32_t activity) {
    std::span<const Region> regions = plan_.activities[activity]->regions;
    uint32_t index = random_.below(static_cast<uint32_t>(regions.size()));
    // Some models refuse to enter what is the innermost already.
    for (uint32_t d = depth_; d-- > 0;) {
        if (open_[d].kind != Kind::region || open_[d].activity != activity) continue;
        if (open_[d].region == index) index = (index + 1) % static_cast<uint32_t>(regions.size());
        break;
    }
    const Region& region = regions[index];
    open_[depth_++] = {Kind::region, static_cast<uint8_t>(activity), static_cast<uint8_t>(index), 0, &region};
    if (region.mark != 0)
        file_.event(region.enter, tick(), region.mark, mark_type);
    else
        file_.event(region.enter, tick());
}

void ThreadScript::leave() {
    Open& open = top();
    --depth_;
    switch (open.kind) {
        case Kind::region:
            if (open.events->mark != 0)
                file_.event(open.events->leave, tick(), open.events->mark, mark_type);
            else
                file_.event(open.events->leave, tick());
            return;
        case Kind::body:
            return task_event(tasks().end, open.task);
        case Kind::paused:
            return task_event(tasks().resume, open.task);
    }
}

// Threads of a process number their tasks alternately: ids are unique and ever growing.
void ThreadScript::create() {
    uint32_t task = 1 + plan_.thread + plan_.threads * created_++;
    file_.event(tasks().create, tick(), task, 1 + random_.below(task_types));
}

void ThreadScript::execute() {
    uint32_t task = 1 + plan_.thread + plan_.threads * executed_++;
    open_[depth_++] = {Kind::body, 0, 0, task, nullptr};
    task_event(tasks().execute, task);
}

void ThreadScript::pause() {
    uint32_t task = 0;
    for (uint32_t d = depth_; task == 0; --d) task = open_[d - 1].task;
    open_[depth_++] = {Kind::paused, 0, 0, task, nullptr};
    task_event(tasks().pause, task);
}

void ThreadScript::task_event(EventCode code, uint32_t task) {
    if (tasks().payload == TaskPayload::id)
        file_.event(code, tick(), task);
    else
        file_.event(code, tick(), task, uint32_t{0});
}

}  // namespace ovni::bench
