#include "emu/state/tasks.hpp"

#include "base/error.hpp"
#include "core/label_hash.hpp"

namespace ovni {

namespace {

// Objects of POSIX threads (H) have labels as types do, and no tasks.
constexpr std::string_view models_with_types = "6HPV";
constexpr std::string_view step_names[] = {"start", "pause", "go on", "end"};
constexpr std::string_view state_names[] = {"created", "running", "paused", "dead"};

}  // namespace

Tasks::Tasks(const Plan& plan, Machine& machine) : machine_(machine) {
    family_of_.fill(no_family);
    for (char model : models_with_types)
        if (plan.find(model)) family_of_[static_cast<uint8_t>(model)] = family_count_++;
    families_.resize(machine.system.processes().size() * family_count_);
    stacks_.resize(machine.threads.size() * family_count_);
}

Tasks::Family& Tasks::family(uint32_t thread, char model) {
    auto& found = families_[index(machine_.threads[thread].process, model)];
    if (!found) found = std::make_unique<Family>();
    return *found;
}

Tasks::Body& Tasks::body_at(Family& family, const OnStack& where) {
    return where.position == IdMap::none ? family.tasks[where.task].only : family.bodies[where.position];
}

void Tasks::create_type(uint32_t thread, char model, uint32_t id, std::string_view label, Moment created) {
    constexpr size_t longest = 511;
    Family& types = family(thread, model);
    if (id == 0) throw Error("a task type of id 0");
    TaskType type;
    type.label = label.empty() ? fmt::format("(unlabeled task type {})", id) : std::string(label);
    if (type.label.size() > longest)
        throw Error(fmt::format("the label of task type {} has more than {} bytes", id, longest));
    if (!types.type_of.insert(id, static_cast<uint32_t>(types.types.size())))
        throw Error(fmt::format("task type {} was defined already", id));
    type.gid = label_value(type.label);
    type.created = created;
    types.types.push_back(std::move(type));
}

bool Tasks::has_type(uint32_t thread, char model, uint32_t id) const {
    const auto& types = families_[index(machine_.threads[thread].process, model)];
    return types && types->type_of.find(id) != IdMap::none;
}

void Tasks::create(uint32_t thread, char model, uint32_t id, uint32_t type, uint8_t flags) {
    Family& tasks = family(thread, model);
    uint32_t of_type = tasks.type_of.find(type);
    if (of_type == IdMap::none && !tasks.had_gap)
        throw Error(fmt::format("task {} is of the unknown type {}", id, type));
    if (!tasks.task_of.insert(id, static_cast<uint32_t>(tasks.tasks.size())))
        throw Error(fmt::format("task {} was created already", id));
    tasks.tasks.push_back({id, of_type, {}, flags});
}

Value Tasks::gid_of_type(uint32_t thread, char model, uint32_t type) const {
    const auto& types = families_[index(machine_.threads[thread].process, model)];
    uint32_t position = types ? types->type_of.find(type) : IdMap::none;
    if (position != IdMap::none) return types->types[position].gid;
    if (types && types->had_gap) return {};
    throw Error(fmt::format("task type {} is unknown", type));
}

// A task whose creation was lost in a gap has no type, and may do everything.
uint32_t Tasks::find_task(uint32_t thread, Family& tasks, Step step, uint32_t task, uint32_t body) {
    uint32_t position = tasks.task_of.find(task);
    if (position != IdMap::none) return position;
    bool lost = step == Step::execute ? tasks.had_gap : machine_.threads[thread].had_gap;
    if (!lost) throw Error(fmt::format("task {} is unknown", task));
    position = static_cast<uint32_t>(tasks.tasks.size());
    tasks.task_of.insert(task, position);
    uint8_t bodies = body == 0 ? 0 : task_flag::parallel;
    auto flags = static_cast<uint8_t>(bodies | task_flag::resurrect | task_flag::pause | task_flag::relax);
    tasks.tasks.push_back({task, IdMap::none, {}, flags});
    return position;
}

Tasks::OnStack Tasks::find_body(uint32_t thread, Family& tasks, Step step, uint32_t task, uint32_t body) {
    constexpr uint32_t only_body = 1;
    bool parallel = (tasks.tasks[task].flags & task_flag::parallel) != 0;
    if (parallel != (body != 0))
        throw Error(fmt::format("body {} of task {}, which is {}", body, tasks.tasks[task].id,
                                parallel ? "parallel: bodies count from 1" : "not parallel: its body is 0"));
    if (!parallel) return {task, only_body, IdMap::none};
    uint64_t id = uint64_t{tasks.tasks[task].id} << 32 | body;
    uint32_t position = tasks.body_of.find(id);
    if (position == IdMap::none) {
        if (step != Step::execute && !machine_.threads[thread].had_gap)
            throw Error(fmt::format("body {} of task {} never ran", body, tasks.tasks[task].id));
        position = static_cast<uint32_t>(tasks.bodies.size());
        tasks.body_of.insert(id, position);
        tasks.bodies.emplace_back();
    }
    return {task, body, position};
}

Tasks::Outcome Tasks::execute(uint32_t thread, char model, Family& tasks, const OnStack& where) {
    Body& body = body_at(tasks, where);
    const Task& task = tasks.tasks[where.task];
    bool may_run = body.state == State::created ||
                   (body.state == State::dead && (task.flags & task_flag::resurrect) != 0);
    if (!may_run)
        throw Error(fmt::format("body {} of task {} cannot start: it is {}", where.body, task.id,
                                state_names[static_cast<size_t>(body.state)]));
    Outcome outcome = Outcome::done;
    auto& bodies = stack(thread, model);
    if (!bodies.empty() && body_at(tasks, bodies.back()).state == State::running) {
        const Task& below = tasks.tasks[bodies.back().task];
        if ((below.flags & task_flag::relax) == 0)
            throw Error(
                fmt::format("task {} cannot start over task {}, which is running", task.id, below.id));
        outcome = Outcome::nested;
    }
    body = {thread, State::running};
    bodies.push_back(where);
    return outcome;
}

void Tasks::check_top(uint32_t thread, char model, Family& tasks, const OnStack& where, Step step) {
    const Body& body = body_at(tasks, where);
    State needed = step == Step::resume ? State::paused : State::running;
    auto fail = [&](const std::string& why) {
        throw Error(fmt::format("body {} of task {} cannot {}: {}", where.body, tasks.tasks[where.task].id,
                                step_names[static_cast<size_t>(step)], why));
    };
    if (body.state != needed) fail(fmt::format("it is {}", state_names[static_cast<size_t>(body.state)]));
    if (step == Step::pause && (tasks.tasks[where.task].flags & task_flag::pause) == 0)
        fail("tasks of this kind do not pause");
    if (body.thread != thread) fail("it is on the stack of another thread");
    const OnStack& top = stack(thread, model).back();
    if (top.task != where.task || top.body != where.body) fail("another body is on top of the stack");
}

Tasks::Outcome Tasks::step(uint32_t thread, char model, Step step, uint32_t task, uint32_t body) {
    Family& tasks = family(thread, model);
    OnStack where = find_body(thread, tasks, step, find_task(thread, tasks, step, task, body), body);
    if (step == Step::execute) return execute(thread, model, tasks, where);
    Body& on_stack = body_at(tasks, where);
    if (machine_.threads[thread].had_gap && on_stack.thread == nobody) {
        if (step == Step::resume) execute(thread, model, tasks, where);
        if (step == Step::end) on_stack.state = State::dead;
        return Outcome::tolerated;
    }
    check_top(thread, model, tasks, where, step);
    on_stack.state = step == Step::pause    ? State::paused
                     : step == Step::resume ? State::running
                                            : State::dead;
    if (step == Step::end) {
        on_stack.thread = nobody;
        stack(thread, model).pop_back();
    }
    return Outcome::done;
}

std::optional<RunningBody> Tasks::running(uint32_t thread, char model) const {
    const auto& bodies = stacks_[index(thread, model)];
    if (bodies.empty()) return std::nullopt;
    Family& tasks = *families_[index(machine_.threads[thread].process, model)];
    const OnStack& top = bodies.back();
    if (body_at(tasks, top).state != State::running) return std::nullopt;
    const Task& task = tasks.tasks[top.task];
    return RunningBody{task.id, top.body,
                       task.type == IdMap::none ? Value() : Value(tasks.types[task.type].gid)};
}

void Tasks::close_bodies(uint32_t thread) {
    for (char model : models_with_types) {
        if (family_of_[static_cast<uint8_t>(model)] == no_family) continue;
        Family& tasks = family(thread, model);
        tasks.had_gap = true;
        for (const OnStack& where : stack(thread, model)) body_at(tasks, where) = {};
        stack(thread, model).clear();
    }
}

std::span<const TaskType> Tasks::types(uint32_t process, char model) const {
    if (family_of_[static_cast<uint8_t>(model)] == no_family) return {};
    const auto& tasks = families_[index(process, model)];
    return tasks ? std::span<const TaskType>(tasks->types) : std::span<const TaskType>();
}

}  // namespace ovni
