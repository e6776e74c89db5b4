#include "tests/support/random_trace.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/support/random/activity.hpp"
#include "tests/support/random/layout.hpp"
#include "tests/support/random/tables.hpp"

namespace ovni::test {

namespace {

using random_trace::Thread;
using random_trace::World;

void go_on(Thread& thread) {
    constexpr int tries = 8, chance_of_life = 18, chance_of_resuming = 35;
    auto& dice = thread.world.dice;
    int chance = thread.state == random_trace::State::running ? chance_of_life : chance_of_resuming;
    int weights = 0;
    for (const auto& choice : thread.choices) weights += choice.weight;
    for (int i = 0; i < tries; ++i) {
        if (dice.percent(chance) && thread.life->step()) return;
        int weight = dice.below(weights);
        auto choice = thread.choices.begin();
        for (; weight >= choice->weight; ++choice) weight -= choice->weight;
        if (choice->activity->step()) return;
    }
}

bool anything_open(const Thread& thread) {
    return std::ranges::any_of(thread.choices, [](const auto& each) { return each.activity->open(); });
}

void close_something(Thread& thread) {
    for (const auto& choice : thread.choices)
        if (choice.activity->close()) return;
    throw std::logic_error("a random trace cannot close what is open");
}

// One event closer to the end; false: the thread is dead, and what it had to close is closed.
bool wind_down(Thread& thread) {
    using random_trace::State;
    if (thread.out_of_cpu) {
        thread.event("KCI");
        thread.out_of_cpu = false;
        return true;
    }
    bool to_close = thread.closes && anything_open(thread);
    if (thread.state == State::dead && !to_close) return false;
    if (thread.state != State::running && (to_close || thread.state != State::cooling))
        thread.life->towards_running();
    else if (to_close)
        close_something(thread);
    else
        thread.life->end();
    return true;
}

// Threads take turns, often with several events at once.
void play(World& world) {
    constexpr int chance_of_next = 35;
    std::vector<Thread*> alive;
    for (Thread& thread : world.threads) {
        thread.closes = !world.what.leave_open || world.dice.percent(50);
        alive.push_back(&thread);
    }
    for (size_t turn = 0; !alive.empty();) {
        if (turn >= alive.size() || !world.dice.percent(chance_of_next))
            turn = static_cast<size_t>(world.dice.below(static_cast<int>(alive.size())));
        Thread& thread = *alive[turn];
        if (thread.events < world.what.events)
            go_on(thread);
        else if (!wind_down(thread))
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(turn));
    }
}

void check(const RandomTrace& what) {
    for (char model : what.models)
        if (!random_trace::model_tables().contains(model))
            throw std::invalid_argument(std::string("no event model ") + model);
    if (what.looms < 0 || std::min({what.processes, what.threads, what.cpus, what.apps}) < 1 ||
        std::min({what.events, what.hosts, what.counters, what.marks}) < 0 || what.counters > 100 ||
        what.marks > 90)
        throw std::invalid_argument("a number of a random trace is out of range");
}

}  // namespace

void build(TraceBuilder& trace, const RandomTrace& what) {
    check(what);
    World world(what);
    lay_out(world, trace);
    play(world);
}

}  // namespace ovni::test
