// The one time line of a trace, and what makes equal clocks harmless: of the events of a loom at one time,
// those of different threads touch different things, so that any order of them is legal.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/support/random/dice.hpp"
#include "tests/support/random_trace.hpp"

namespace ovni::test::random_trace {

struct Thread;

// Something that events of several threads of a loom depend on.
struct Resource {
    enum class Kind { cpu, thread, tasks } kind;
    int number;  // CPU index; number of the thread; process and model
    auto operator<=>(const Resource&) const = default;
};
using Resources = std::vector<Resource>;

// The touched resources at the time of the last event of a loom that touched any, and who touched them.
class Touched {
 public:
    bool by_others(int64_t time, const Thread& thread, const Resources& resources) const;
    void add(int64_t time, const Thread& thread, const Resources& resources);

 private:
    int64_t time_ = -1;
    std::map<Resource, const Thread*> threads_;
};

class Timeline {
 public:
    // Clock offsets are smaller, so clocks of all hosts are positive.
    static constexpr int offsets_below = 100'000;

    Timeline(Dice& dice, const RandomTrace& what)
        : dice_(dice),
          within_(what.ties_within),
          between_(what.ties_between),
          now_(what.clock_offsets ? 1000 + offsets_below : 1000) {}

    // The time of the thread's next event.
    int64_t next(const Thread& thread, const Resources& resources);
    // That one comes so much later.
    void wait(int64_t time) { wait_ = time; }

 private:
    Dice& dice_;
    int within_, between_;
    int64_t now_, wait_ = 0;
    const Thread* last_ = nullptr;
};

}  // namespace ovni::test::random_trace
