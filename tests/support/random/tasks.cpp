#include <array>

#include "tests/support/random/states.hpp"

namespace ovni::test::random_trace {

namespace {

// The rules of a model and the names of its events.
struct Rules {
    char model;
    int state;  // of the subsystem channel while a body is in the stack
    EventCode create_type, create, create_parallel, execute, end, pause, resume;
    bool resurrects;     // a body that is not parallel may run again
    bool nests_running;  // a body may start over a running one
    bool parallel;       // and events name the body
};

constexpr Rules nosv = {'V', 11, "VYc", "VTc", "VTC", "VTx", "VTe", "VTp", "VTr", true, false, true};
constexpr Rules nanos6 = {'6', 1, "6Yc", "6Tc", "6Tc", "6Tx", "6Te", "6Tp", "6Tr", false, true, false};

class Bodies : public Activity {
 public:
    Bodies(Thread& thread, const Rules& rules, Nesting& subsystem)
        : Activity(thread), rules_(rules), subsystem_(subsystem), table_(thread.process.tasks[rules.model]) {}

    bool step() override;
    bool open() const override { return !stack_.empty(); }
    bool close() override;

 private:
    struct Body {
        Task* task;
        uint32_t id;  // 0: of a task that is not parallel
        bool paused;
    };
    static constexpr size_t deepest = 12;

    bool create();
    bool execute();
    bool execute(Task& task);
    bool end();
    bool pause();
    bool resume();
    void task_event(EventCode code, const Body& body, const Resources& touches = {});

    const Rules& rules_;
    Nesting& subsystem_;
    TaskTable& table_;
    std::vector<Body> stack_;
};

bool Bodies::step() {
    if (!thread_.may(rules_.model)) return false;
    switch (dice_.below(10)) {
        case 0:
            create_type(thread_, rules_.create_type, table_, touches_tasks(thread_, rules_.model));
            return true;
        case 1:
        case 2:
            return create();
        case 3:
        case 4:
        case 5:
            return execute();
        case 6:
            return pause();
        case 7:
            return resume();
        default:
            return end();
    }
}

bool Bodies::create() {
    if (table_.types.empty()) return false;
    Task task = {.id = new_id(dice_, table_.task_ids),
                 .type = dice_.one_of(table_.types),
                 .parallel = rules_.parallel && dice_.percent(40)};
    thread_.event(task.parallel ? rules_.create_parallel : rules_.create, {u32(task.id), u32(task.type)},
                  touches_tasks(thread_, rules_.model));
    table_.task_ids.insert(task.id);
    table_.tasks.push_back(task);
    return true;
}

bool Bodies::execute() {
    bool over_running = !stack_.empty() && !stack_.back().paused;
    if (stack_.size() == deepest || (over_running && !rules_.nests_running)) return false;
    if (table_.tasks.empty() || !subsystem_.can_enter(rules_.state)) return false;
    for (int tries = 0; tries < 8; ++tries)
        if (execute(dice_.one_of(table_.tasks))) return true;
    return false;
}

bool Bodies::execute(Task& task) {
    Body body = {&task, 0, false};
    if (task.parallel)
        task.bodies.insert(body.id = new_id(dice_, task.bodies));
    else if (task.in_stack || (task.executed && !rules_.resurrects))
        return false;
    else
        task.in_stack = task.executed = true;
    task_event(rules_.execute, body, touches_tasks(thread_, rules_.model));
    stack_.push_back(body);
    subsystem_.enter(rules_.state);
    return true;
}

bool Bodies::end() {
    if (stack_.empty() || stack_.back().paused || !subsystem_.on_top(rules_.state)) return false;
    task_event(rules_.end, stack_.back(), touches_tasks(thread_, rules_.model));
    stack_.back().task->in_stack = false;
    stack_.pop_back();
    subsystem_.leave_top();
    return true;
}

bool Bodies::pause() {
    if (stack_.empty() || stack_.back().paused || stack_.back().task->parallel) return false;
    task_event(rules_.pause, stack_.back());
    stack_.back().paused = true;
    return true;
}

bool Bodies::resume() {
    if (stack_.empty() || !stack_.back().paused) return false;
    task_event(rules_.resume, stack_.back());
    stack_.back().paused = false;
    return true;
}

bool Bodies::close() {
    return resume() || end();
}

void Bodies::task_event(EventCode code, const Body& body, const Resources& touches) {
    if (rules_.parallel)
        thread_.event(code, {u32(body.task->id), u32(body.id)}, touches);
    else
        thread_.event(code, {u32(body.task->id)}, touches);
}

// The third is as long as a label may be.
const std::array<std::string, 8> labels = {"main",
                                           "",
                                           std::string(511, 'x'),
                                           "solve",
                                           "exactly 12 b",
                                           "größer",
                                           "a label that is longer than twelve",
                                           "update"};

}  // namespace

uint32_t new_id(Dice& dice, const std::set<uint32_t>& ids) {
    uint32_t id = 0;
    while (id == 0 || ids.contains(id))
        id = dice.percent(10) ? dice.number() : static_cast<uint32_t>(dice.below(5000));
    return id;
}

Resources touches_tasks(const Thread& thread, char model) {
    return {{Resource::Kind::tasks, thread.process.number << 8 | model}};
}

void create_type(Thread& thread, EventCode code, TaskTable& table, const Resources& touches) {
    Dice& dice = thread.world.dice;
    uint32_t id = new_id(dice, table.type_ids);
    std::string label = dice.one_of(labels);
    if (dice.percent(30)) label = "type " + std::to_string(id);
    thread.jumbo(code, {u32(id), std::string_view(label)}, touches);
    table.type_ids.insert(id);
    table.types.push_back(id);
}

std::unique_ptr<Activity> bodies(Thread& thread, char model, Nesting& subsystem) {
    return std::make_unique<Bodies>(thread, model == 'V' ? nosv : nanos6, subsystem);
}

}  // namespace ovni::test::random_trace
