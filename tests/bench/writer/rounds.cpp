#include "tests/bench/writer/rounds.hpp"

#include <pthread.h>
#include <sched.h>

#include <barrier>
#include <functional>
#include <thread>

#include "tests/bench/writer/floors.hpp"

namespace ovni::bench {

namespace {

class Process {
 public:
    explicit Process(const Variant& variant) : variant_(variant) {
        if (variant_.open != nullptr) variant_.open();
    }
    ~Process() {
        if (variant_.close != nullptr) variant_.close();
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

 private:
    const Variant& variant_;
};

void pin(unsigned thread) {
    cpu_set_t allowed, one;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    CPU_ZERO(&one);
    int wanted = static_cast<int>(thread) % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) CPU_SET(cpu, &one);
    ::pthread_setaffinity_np(::pthread_self(), sizeof one, &one);
}

using Body = std::function<void(unsigned thread, Loops& base, Loops& variant)>;

void run_thread(unsigned thread, Loops& base, Loops& variant, const Body& body) {
    pin(thread);
    base.begin();
    variant.begin();
    body(thread, base, variant);
    variant.end();
    base.end();
}

// The body in every thread, pinned, with loops of its own.
void run_threads(const Variant& variant, unsigned threads, const Body& body) {
    Process process(variant);
    std::vector<std::thread> running;
    auto make_base = variant.bytes == 12 ? loops_of<Store<12>> : loops_of<Store<28>>;
    for (unsigned i = 0; i < threads; ++i)
        running.emplace_back([&, i] { run_thread(i, *make_base(), *variant.loops(), body); });
    for (std::thread& thread : running) thread.join();
}

template <class Loop>
Times timed(const Loop& loop) {
    Times before = Times::now();
    loop();
    return Times::now() - before;
}

PerEvent per_event(const std::vector<Times>& threads, uint64_t events) {
    PerEvent mean;
    double count = static_cast<double>(threads.size()) * static_cast<double>(events);
    for (Times times : threads) {
        mean.cpu += static_cast<double>(times.cpu) / count;
        mean.wall += static_cast<double>(times.wall) / count;
    }
    return mean;
}

using Loop = std::function<void(Loops& base, Loops& variant, uint64_t events)>;

// Each slice: all threads the first loop, then all threads the second. One slice before them to warm up.
std::vector<Slice> alternate(const Variant& variant, const Plan& plan, const Loop& first,
                             const Loop& second) {
    std::vector<std::vector<Times>> base(plan.slices + 1), own(plan.slices + 1);
    for (auto* of : {&base, &own})
        for (auto& slice : *of) slice.resize(plan.threads);
    std::barrier together(plan.threads);
    run_threads(variant, plan.threads, [&](unsigned thread, Loops& store, Loops& loops) {
        for (unsigned i = 0; i <= plan.slices; ++i) {
            together.arrive_and_wait();
            base[i][thread] = timed([&] { first(store, loops, plan.events); });
            together.arrive_and_wait();
            own[i][thread] = timed([&] { second(store, loops, plan.events); });
        }
    });
    std::vector<Slice> slices;
    for (unsigned i = 1; i <= plan.slices; ++i)
        slices.push_back({per_event(base[i], plan.events), per_event(own[i], plan.events)});
    return slices;
}

}  // namespace

std::vector<Slice> rate_tight(const Variant& variant, const Plan& plan) {
    return alternate(
        variant, plan, [](Loops& base, Loops&, uint64_t events) { base.tight(events); },
        [](Loops&, Loops& own, uint64_t events) { own.tight(events); });
}

std::vector<Slice> rate_in_work(const Variant& variant, const Plan& plan) {
    return alternate(
        variant, plan, [](Loops&, Loops&, uint64_t events) { LoopsOf<NoProbe>().in_work(events); },
        [](Loops&, Loops& own, uint64_t events) { own.in_work(events); });
}

Latencies latencies(const Variant& variant, const Plan& plan) {
    Latencies result;
    TickLength tick;
    run_threads(variant, plan.threads, [&](unsigned thread, Loops& store, Loops& own) {
        Histogram base, found;
        store.tight(plan.events / 10);
        own.tight(plan.events / 10);
        for (unsigned i = 0; i < plan.slices; ++i) {
            store.timed(plan.events, base);
            own.timed(plan.events, found);
        }
        if (thread != 0) return;
        result.base = base;
        result.variant = found;
    });
    result.tick = tick.length();
    return result;
}

void emit_only(const Variant& variant, const Plan& plan) {
    run_threads(variant, plan.threads, [&](unsigned, Loops&, Loops& own) { own.tight(plan.events); });
}

}  // namespace ovni::bench
