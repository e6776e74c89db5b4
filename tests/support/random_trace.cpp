#include "support/random_trace.hpp"

#include <random>
#include <vector>

namespace ovni::test {

namespace {

constexpr EventCode mpi_calls[][2] = {
    {"MS[", "MS]"}, {"MR[", "MR]"}, {"MW[", "MW]"}, {"MAr", "MAR"}, {"MCb", "MCB"}};

// One thread's way through its life: what it may do next follows from what it did.
class Life {
 public:
    Life(StreamBuilder& stream, std::mt19937& random, int cpus, bool punctual)
        : stream_(stream), random_(random), cpus_(cpus), punctual_(punctual) {}

    void live(int events) {
        clock_ = 1000 + pick(50);
        stream_.starts(clock_, pick(2) == 0 ? -1 : pick(cpus_));
        for (int i = 0; i < events; ++i) step();
        while (!calls_.empty() || !marks_.empty()) close();
        stream_.ends(clock_ + pick(3));
    }

 private:
    static constexpr size_t deepest = 40;

    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    int64_t tick() { return clock_ += pick(3) == 0 ? 0 : pick(20); }

    void step() {
        switch (pick(punctual_ ? 8 : 7)) {
            case 0:
            case 1:
                call();
                break;
            case 2:
                leave();
                break;
            case 3:
                push();
                break;
            case 4:
                pop();
                break;
            case 5:
                stream_.event("OAs", tick(), {pick(cpus_ + 1) - 1});
                break;
            case 6:
                rest();
                break;
            case 7:
                stream_.event("OM=", tick(), {i64(1 + pick(5)), 98});
                break;
        }
    }
    void close() { calls_.empty() ? pop() : leave(); }
    void call() {
        int function = pick(5);
        if (calls_.size() == deepest || (!calls_.empty() && calls_.back() == function)) return;
        stream_.event(mpi_calls[function][0], tick());
        calls_.push_back(function);
    }
    void leave() {
        if (calls_.empty()) return;
        stream_.event(mpi_calls[calls_.back()][1], tick());
        calls_.pop_back();
    }
    void push() {
        if (marks_.size() == deepest) return;
        marks_.push_back(1 + pick(4));
        stream_.event("OM[", tick(), {i64(marks_.back()), 5});
    }
    void pop() {
        if (marks_.empty()) return;
        stream_.event("OM]", tick(), {i64(marks_.back()), 5});
        marks_.pop_back();
    }
    void rest() {
        if (pick(2) == 0) stream_.event("OHc", tick());
        stream_.event("OHp", tick());
        if (pick(2) == 0) stream_.event("OHw", tick());
        stream_.event("OHr", tick());
    }

    StreamBuilder& stream_;
    std::mt19937& random_;
    int cpus_;
    bool punctual_;
    int64_t clock_ = 0;
    std::vector<int> calls_, marks_;
};

}  // namespace

void build(TraceBuilder& trace, const RandomTrace& what) {
    std::mt19937 random(what.seed);
    constexpr int cpus = 2;
    for (int loom = 0; loom < what.looms; ++loom)
        for (int process = 0; process < what.processes; ++process)
            for (int thread = 0; thread < what.threads; ++thread) {
                int pid = 10 + process, tid = 100 * pid + thread;
                StreamBuilder& stream =
                    trace.thread({.loom = "node" + std::to_string(loom) + ".x",
                                  .pid = pid,
                                  .tid = tid,
                                  .rank = (what.looms - loom) * what.processes - process - 1,
                                  .nranks = what.looms * what.processes,
                                  .cpus = {{0, 4}, {1, 7}},
                                  .require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}});
                stream.mark(5, "stack", "phase", {{1, "one"}, {2, "two"}});
                if (what.punctual) stream.mark(98, "single", "marker").set("ovni.mark.98.punctual", true);
                Life(stream, random, cpus, what.punctual).live(what.events);
            }
}

}  // namespace ovni::test
