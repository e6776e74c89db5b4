// Tasks and worksharings of openmp: one stack of labels, in which tasks are known by their id as well.
#include "tests/support/random/states.hpp"

namespace ovni::test::random_trace {

namespace {

class Regions : public Activity {
 public:
    explicit Regions(Thread& thread) : Activity(thread), table_(thread.process.tasks['P']) {}

    bool step() override;
    bool open() const override { return !stack_.empty(); }
    bool close() override { return leave(); }

 private:
    struct Region {
        Task* task;     // nullptr: a worksharing
        uint32_t type;  // of a worksharing
    };
    static constexpr size_t deepest = 12;

    bool create_task();
    bool execute();
    bool share_work();
    bool leave();
    Resources touches() const { return touches_tasks(thread_, 'P'); }

    TaskTable& table_;
    std::vector<Region> stack_;
};

bool Regions::step() {
    if (!thread_.may('P')) return false;
    switch (dice_.below(10)) {
        case 0:
            create_type(thread_, "POc", table_, touches());
            return true;
        case 1:
        case 2:
            return create_task();
        case 3:
        case 4:
            return execute();
        case 5:
        case 6:
            return share_work();
        default:
            return leave();
    }
}

bool Regions::create_task() {
    if (table_.types.empty()) return false;
    Task task = {.id = new_id(dice_, table_.task_ids), .type = dice_.one_of(table_.types)};
    thread_.event("PPc", {u32(task.id), u32(task.type)}, touches());
    table_.task_ids.insert(task.id);
    table_.tasks.push_back(task);
    return true;
}

// A task that ended may be executed again.
bool Regions::execute() {
    if (stack_.size() == deepest || table_.tasks.empty()) return false;
    Task& task = dice_.one_of(table_.tasks);
    if (task.in_stack) return false;
    thread_.event("PPx", {u32(task.id)}, touches());
    task.in_stack = true;
    stack_.push_back({&task, 0});
    return true;
}

bool Regions::share_work() {
    if (stack_.size() == deepest || table_.types.empty()) return false;
    uint32_t type = dice_.one_of(table_.types);
    thread_.event("PQx", {u32(type)}, touches());
    stack_.push_back({nullptr, type});
    return true;
}

bool Regions::leave() {
    if (stack_.empty()) return false;
    auto [task, type] = stack_.back();
    if (task) {
        thread_.event("PPe", {u32(task->id)}, touches());
        task->in_stack = false;
    } else {
        thread_.event("PQe", {u32(type)}, touches());
    }
    stack_.pop_back();
    return true;
}

}  // namespace

std::unique_ptr<Activity> openmp_regions(Thread& thread) {
    return std::make_unique<Regions>(thread);
}

}  // namespace ovni::test::random_trace
