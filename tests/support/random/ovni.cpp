// The rest of model ovni besides life and marks (flushes, bursts, regions to sort, events without effect),
// kernel and hardware counters: small activities of few events.
#include "tests/support/random/activity.hpp"

namespace ovni::test::random_trace {

namespace {

// Two events that take turns.
class Pair : public Activity {
 public:
    Pair(Thread& thread, EventCode begin, EventCode end, int64_t longest)
        : Activity(thread), begin_(begin), end_(end), longest_(longest) {}

    bool step() override {
        if (!thread_.may('O')) return false;
        if (open_ && longest_ > 0 && dice_.percent(20)) thread_.world.timeline.wait(longest_);
        thread_.event(open_ ? end_ : begin_);
        open_ = !open_;
        return true;
    }
    bool open() const override { return open_; }
    bool close() override { return open_ && step(); }

 private:
    EventCode begin_, end_;
    int64_t longest_;
    bool open_ = false;
};

// Now and then as many as it takes for statistics.
class Bursts : public Activity {
 public:
    using Activity::Activity;
    bool step() override {
        constexpr int for_statistics = 100;
        if (!thread_.may('O')) return false;
        int count = 1 + dice_.below(4);
        if (thread_.world.what.events - thread_.events > 2 * for_statistics && dice_.percent(10))
            count = for_statistics + dice_.below(20);
        for (int i = 0; i < count; ++i) thread_.event("OB.");
        return true;
    }
};

class WithoutEffect : public Activity {
 public:
    using Activity::Activity;
    bool step() override {
        if (!thread_.may('O')) return false;
        if (dice_.percent(50))
            thread_.event("OHC", {dice_.below(4) - 1, u64(dice_.number())});
        else
            thread_.event("OCn", {dice_.below(100)});
        return true;
    }
};

// Model ovni and nosv are silent while a thread is out of its CPU, so it comes back soon.
class ContextSwitch : public Activity {
 public:
    using Activity::Activity;
    bool step() override {
        if (dice_.percent(thread_.out_of_cpu ? 20 : 60)) return false;
        thread_.event(thread_.out_of_cpu ? EventCode("KCI") : EventCode("KCO"));
        thread_.out_of_cpu = !thread_.out_of_cpu;
        return true;
    }
};

class Counters : public Activity {
 public:
    using Activity::Activity;
    bool step() override {
        if (!thread_.may('V')) return false;
        std::string values;
        for (int i = 0; i < thread_.world.what.counters; ++i) {
            int64_t some = value();
            values.append(reinterpret_cast<const char*>(&some), sizeof some);
        }
        thread_.jumbo("VWC", {raw(values)});
        return true;
    }

 private:
    int64_t value() {
        int64_t large = static_cast<int64_t>(dice_.number()) << dice_.below(31);
        switch (dice_.below(4)) {
            case 0:
                return 0;
            case 1:
                return -large;
            case 2:
                return dice_.below(10);
            default:
                return large;
        }
    }
};

}  // namespace

void add_ovni(Thread& thread) {
    constexpr int64_t slow_flush = 10'000'001;
    thread.choices.push_back(
        {1, std::make_unique<Pair>(thread, EventCode("OF["), EventCode("OF]"), slow_flush)});
    thread.choices.push_back({1, std::make_unique<Pair>(thread, EventCode("OU["), EventCode("OU]"), 0)});
    thread.choices.push_back({1, std::make_unique<Bursts>(thread)});
    thread.choices.push_back({1, std::make_unique<WithoutEffect>(thread)});
}

void add_kernel(Thread& thread) {
    thread.choices.push_back({3, std::make_unique<ContextSwitch>(thread)});
}

void add_counters(Thread& thread) {
    if (thread.world.what.counters > 0) thread.choices.push_back({2, std::make_unique<Counters>(thread)});
}

}  // namespace ovni::test::random_trace
