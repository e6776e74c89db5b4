#include "tests/support/random/states.hpp"

#include <algorithm>

namespace ovni::test::random_trace {

namespace {

// nosv and nanos6: a single channel that starts as Progressing and does not take the value that it has.
class Idle : public Activity {
 public:
    Idle(Thread& thread, const ModelTable& table) : Activity(thread), table_(table) {}

    bool step() override {
        const IdleRow& row = dice_.one_of(table_.idle);
        if (!thread_.may(table_.id) || row.value == value_) return false;
        thread_.event(row.code);
        value_ = row.value;
        return true;
    }

 private:
    static constexpr int progressing = 100;

    const ModelTable& table_;
    int value_ = progressing;
};

class Ignored : public Activity {
 public:
    Ignored(Thread& thread, const ModelTable& table) : Activity(thread), table_(table) {}

    bool step() override {
        if (!thread_.may(table_.id)) return false;
        thread_.event(dice_.one_of(table_.ignored));
        return true;
    }

 private:
    const ModelTable& table_;
};

}  // namespace

bool Nesting::can_enter(int value) const {
    return values_.size() < deepest && (table_.repeats || !on_top(value));
}

bool Nesting::step() {
    if (!thread_.may(model_)) return false;
    if (dice_.percent(chance_of_leaving_)) return leave();
    const StateRow& row = dice_.one_of(table_.rows);
    if (!can_enter(row.value)) return false;
    thread_.event(dice_.one_of(row.enter));
    enter(row.value);
    return true;
}

bool Nesting::leave() {
    if (values_.empty()) return false;
    auto row = std::ranges::find(table_.rows, values_.back(), &StateRow::value);
    if (row == table_.rows.end()) return false;
    thread_.event(dice_.one_of(row->leave));
    leave_top();
    return true;
}

void add_states(Thread& thread, char model) {
    const ModelTable& table = model_tables().at(model);
    if (model == 'K') return;
    for (const auto& [channel, stack] : table.stacks) {
        if (stack.rows.empty()) continue;
        auto nesting = std::make_unique<Nesting>(thread, model, stack);
        if (channel == "subsystem" && (model == 'V' || model == '6'))
            thread.choices.push_back({model == 'V' ? 14 : 7, bodies(thread, model, *nesting)});
        thread.choices.push_back({stack.rows.size() > 4 ? 7 : 2, std::move(nesting)});
    }
    if (model == 'P') thread.choices.push_back({5, openmp_regions(thread)});
    if (!table.idle.empty()) thread.choices.push_back({2, std::make_unique<Idle>(thread, table)});
    if (!table.ignored.empty() && model != 'O')
        thread.choices.push_back({1, std::make_unique<Ignored>(thread, table)});
}

}  // namespace ovni::test::random_trace
