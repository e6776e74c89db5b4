// Micro benchmarks of the region controller: ns per hit of a site.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "region/engine.hpp"

namespace ovni::bench {

namespace {

using region::AlarmKind;
using region::Engine;

constexpr std::string_view functions[] = {"MPI_Init", "MPI_Send", "MPI_Recv"};

region::Plan plan_of(const char* chain) {
    region::Plan plan;
    std::vector<std::string> chains = {chain};
    if (region::make_plan(chains, {functions}, plan)) std::abort();
    return plan;
}

// `pass` passes one site.
template <class Pass>
void measure(benchmark::State& state, const char* chain, Pass pass) {
    Engine engine(plan_of(chain), {});
    region::Thread thread = engine.attach(0);
    for (auto _ : state) {
        pass(engine, thread);
        benchmark::ClobberMemory();
    }
}

void pass_send(Engine& engine, region::Thread thread) {
    engine.hit(thread, AlarmKind::mpi, 1);
}

void kind_that_no_chain_awaits(benchmark::State& state) {
    measure(state, "start:pcontrol:a", pass_send);
}
void another_value(benchmark::State& state) {
    measure(state, "start:mpi:Recv,stop:mpi:Init,repeat", pass_send);
}
void awaited_but_not_armed(benchmark::State& state) {
    measure(state, "start:mpi:Recv,stop:mpi:Send", pass_send);
}
void hit_counted(benchmark::State& state) {
    measure(state, "start:mpi:Send:count10000000000", pass_send);
}
void hit_that_fires(benchmark::State& state) {
    measure(state, "start:mpi:Send,repeat", pass_send);
}
void hit_that_fires_for_all(benchmark::State& state) {
    measure(state, "start:mpi:Send:bcast,repeat", pass_send);
}
void text_of_another_value(benchmark::State& state) {
    measure(state, "start:pcontrol:timestep", [](Engine& engine, region::Thread thread) {
        engine.hit(thread, AlarmKind::pcontrol, "exchange", 1);
    });
}
void block_counted(benchmark::State& state) {
    measure(state, "start:icount:70000000000000",
            [](Engine& engine, region::Thread thread) { engine.block(thread, 5); });
}

BENCHMARK(kind_that_no_chain_awaits);
BENCHMARK(another_value);
BENCHMARK(text_of_another_value);
BENCHMARK(awaited_but_not_armed);
BENCHMARK(hit_counted);
BENCHMARK(hit_that_fires);
BENCHMARK(hit_that_fires_for_all);
BENCHMARK(block_counted);

}  // namespace

}  // namespace ovni::bench

BENCHMARK_MAIN();
