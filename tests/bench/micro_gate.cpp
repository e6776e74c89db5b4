// The cost of the gate for an event: recording on with no states followed, on with states followed, and off;
// next to the least that any writer with time stamps needs, a counter read and a store. Cases run in this
// order, as nobody can stop following states again.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cstdlib>
#include <vector>

#include "ovni.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/support/temporary_directory.hpp"

namespace ovni::bench {

namespace {

constexpr int64_t batch = 20'000;  // fits in half of a ring

// Batches of events, with time to write them out between.
template <class Emit>
void time_events(benchmark::State& state, Emit emit_two) {
    while (state.KeepRunning()) {
        for (int64_t i = 0; i < batch; i += 2) emit_two();
        state.PauseTiming();
        ovni_flush();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * batch);
}

void count_and_store(benchmark::State& state) {
    std::vector<uint64_t> ring(1 << 18);
    while (state.KeepRunning()) {
        for (int64_t i = 0; i < batch; ++i) {
            ring[static_cast<size_t>(i) % ring.size()] = __rdtsc();
            benchmark::ClobberMemory();
        }
        state.PauseTiming();
        ovni_flush();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * batch);
}

void plain(benchmark::State& state) {
    time_events(state, [] {
        emit("OB.");
        emit("OB.");
    });
}

// emit() as it would be without a gate.
void emit_ungated(EventCode code) {
    ovni_private_window* window = ovni_private_thread_window;
    if (!detail::begin_emission(*window, code, OVNI_FORMAT_EVENT_HEADER, detail::any_clock))
        return emit(code);
    uint64_t clock = read_clock(*window->clock);
    if (clock < window->last) return detail::leave_emission(*window);
    detail::store_event(window->data + window->head, code, clock);
    detail::end_emission(*window, OVNI_FORMAT_EVENT_HEADER, clock);
}

void ungated(benchmark::State& state) {
    time_events(state, [] {
        emit_ungated("OB.");
        emit_ungated("OB.");
    });
}

void states(benchmark::State& state) {
    time_events(state, [] {
        emit("VAs");
        emit("VAS");
    });
}

void states_by_c(benchmark::State& state) {
    time_events(state, [] {
        for (const char* code : {"VAs", "VAS"}) {
            ovni_ev ev{};
            ovni_ev_set_clock(&ev, ovni_clock_now());
            ovni_ev_set_mcv(&ev, code);
            ovni_ev_emit(&ev);
        }
    });
}

void clock_alone(benchmark::State& state) {
    time_events(state, [] {
        for (int i = 0; i < 2; ++i) benchmark::DoNotOptimize(ovni_clock_now());
    });
}

void follow(int, uint64_t) {}

using Case = void (*)(benchmark::State&);
struct Row {
    const char* name;
    Case run;
};
constexpr Row rows[] = {{"plain", plain}, {"states", states}, {"states_by_c", states_by_c}};

void add(const char* mode, int before_each) {
    for (const Row& row : rows)
        benchmark::RegisterBenchmark((std::string(mode) + "/" + row.name).c_str(),
                                     [row, before_each](benchmark::State& state) {
                                         if (before_each != 0) ovni_private_follow_recording(follow);
                                         ovni_private_pause(before_each == 2);
                                         row.run(state);
                                     });
}

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    using namespace ovni::bench;
    ovni::test::TemporaryDirectory place;
    setenv("OVNI_TRACEDIR", (place.path() / "ovni").c_str(), 1);
    ovni_proc_init(1, "node", getpid());
    ovni_thread_init(getpid());
    ovni_thread_require("nosv", "2.4.0");
    ovni::emit("OHx", int32_t{-1}, int32_t{-1}, uint64_t{0});
    benchmark::RegisterBenchmark("limit/count_and_store", count_and_store);
    benchmark::RegisterBenchmark("limit/clock", clock_alone);
    benchmark::RegisterBenchmark("no_gate/plain", ungated);
    add("on", 0);
    add("on_followed", 1);
    add("off", 2);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    ovni_private_pause(0);
    ovni::emit("OHe");
    ovni_thread_free();
    ovni_proc_fini();
}
