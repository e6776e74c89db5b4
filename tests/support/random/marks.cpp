// Marks: OM[ OM] of stack types, OM= of single ones. Any thread may use any type that some thread defines.
#include <map>

#include "tests/support/random/activity.hpp"

namespace ovni::test::random_trace {

namespace {

class Marks : public Activity {
 public:
    using Activity::Activity;

    bool step() override {
        const MarkType& mark = dice_.one_of(thread_.world.marks);
        if (!thread_.may('O')) return false;
        if (!mark.stack) {
            thread_.event("OM=", {i64(value(mark)), mark.type});
            return true;
        }
        std::vector<int64_t>& values = open_[mark.type];
        if (dice_.percent(45)) return pop(mark.type, values);
        if (values.size() == deepest) return false;
        values.push_back(value(mark));
        thread_.event("OM[", {i64(values.back()), mark.type});
        return true;
    }
    bool open() const override {
        for (const auto& [type, values] : open_)
            if (!values.empty()) return true;
        return false;
    }
    bool close() override {
        for (auto& [type, values] : open_)
            if (pop(type, values)) return true;
        return false;
    }

 private:
    static constexpr size_t deepest = 40;

    bool pop(int type, std::vector<int64_t>& values) {
        if (values.empty()) return false;
        thread_.event("OM]", {i64(values.back()), type});
        values.pop_back();
        return true;
    }

    // A value with a label or without; never 0.
    int64_t value(const MarkType& mark) {
        if (!mark.labels.empty() && dice_.percent(60)) return dice_.one_of(mark.labels).first;
        if (dice_.percent(80)) return 1 + dice_.below(5);
        int64_t large = 1 + static_cast<int64_t>(dice_.number()) * 3;
        return dice_.percent(50) ? -large : large;
    }

    std::map<int, std::vector<int64_t>> open_;
};

}  // namespace

void add_marks(Thread& thread) {
    if (!thread.world.marks.empty()) thread.choices.push_back({3, std::make_unique<Marks>(thread)});
}

}  // namespace ovni::test::random_trace
