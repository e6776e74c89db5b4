// Activities that follow from the tables of the models.
#pragma once

#include <vector>

#include "tests/support/random/activity.hpp"
#include "tests/support/random/tables.hpp"

namespace ovni::test::random_trace {

// The states of one stack channel of a thread. Tasks may push states of their own between them.
class Nesting : public Activity {
 public:
    Nesting(Thread& thread, char model, const StackTable& table)
        : Activity(thread), model_(model), table_(table), chance_of_leaving_(45 + dice_.below(15)) {}

    bool step() override;
    bool open() const override { return !values_.empty(); }
    bool close() override { return leave(); }

    // Serves tasks, whose events push and pop the value.
    bool can_enter(int value) const;
    void enter(int value) { values_.push_back(value); }
    bool on_top(int value) const { return !values_.empty() && values_.back() == value; }
    void leave_top() { values_.pop_back(); }

 private:
    static constexpr size_t deepest = 40;

    bool leave();

    char model_;
    const StackTable& table_;
    int chance_of_leaving_;  // below one half, the stack grows to its limit
    std::vector<int> values_;
};

// Tasks with bodies that run nested in the threads of a process, of nosv ('V') and nanos6 ('6'). Their bodies
// are states of the subsystem channel.
std::unique_ptr<Activity> bodies(Thread& thread, char model, Nesting& subsystem);
// Tasks and worksharings of openmp.
std::unique_ptr<Activity> openmp_regions(Thread& thread);

// A new type in the table, and the event that creates it.
void create_type(Thread& thread, EventCode code, TaskTable& table, const Resources& touches);
// An id that is not there yet; never 0.
uint32_t new_id(Dice& dice, const std::set<uint32_t>& ids);
// The resources that two threads both touch if they use tasks of one process and model.
Resources touches_tasks(const Thread& thread, char model);

}  // namespace ovni::test::random_trace
