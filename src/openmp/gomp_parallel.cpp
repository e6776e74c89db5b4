// Parallel regions of programs that GCC compiled. The function that the compiler made of a region is called
// by one of ours in each thread of the team, so each shows its part. The end of a region has a barrier in
// libgomp that only the thread that made the team is seen in.
#include <pthread.h>

#include "openmp/gomp_call.hpp"

namespace ovni::openmp {

namespace {

using Function = void(void*);

// Regions that begin within a worksharing.
enum class Begins : uint8_t { plain, loop, sections };

struct Region {
    Function* function;
    void* data;
    uint32_t number;
    Begins begins;
    pthread_t maker;
    const Runtime* runtime;
    CodePlace place = place_of(reinterpret_cast<const void*>(function), Construct::region_function);
};

OVNI_GOMP_FUNCTION get_thread_num{"omp_get_thread_num"}, get_num_threads{"omp_get_num_threads"};

uint32_t ask(const GompFunction& function, const Runtime& runtime) {
    auto* real = reinterpret_cast<int (*)()>(runtime.function(function));
    return real ? static_cast<uint32_t>(real()) : 0;
}

uint64_t begin_part(const Region& region) noexcept {
    Report report;
    const uint64_t task = next_task();
    if (!report) return task;
    report->record_cpu();
    report->enter({.state = State::part_of_region,
                   .key = task,
                   .place = region.place,
                   .number = region.number,
                   .threads = ask(get_num_threads, *region.runtime),
                   .thread = ask(get_thread_num, *region.runtime),
                   .runtime = region.runtime});
    if (region.begins == Begins::loop)
        report->enter({.state = State::work_dynamic, .key = static_cast<uint64_t>(Construct::loop)});
    if (region.begins == Begins::sections)
        report->enter({.state = State::work_sections, .key = static_cast<uint64_t>(Construct::sections)});
    return task;
}

// A thread of the team takes it from its maker. libgomp orders the two; see tests/openmp/handed_over.
Region take_region(const void* argument) noexcept {
    return *static_cast<const Region*>(argument);
}

void run_part(void* argument) {
    const Region region = take_region(argument);
    const uint64_t task = begin_part(region);
    region.function(region.data);
    Report report;
    if (!report) return;
    report->leave(Family::task, task);
    if (pthread_equal(region.maker, pthread_self())) report->enter(wait_of(State::barrier_join));
}

// Makes the call with the function and data of the region, or with ours around them. `further`: the arguments
// behind them.
template <class Result, class... Further>
Result pass_region(const GompFunction& gomp, Begins begins, const void* caller, Function* function,
                   void* data, Further... further) {
    const GompCall<Result(Function*, void*, Further...)> call(gomp, caller);
    if (!call) {
        function(data);
        return static_cast<Result>(1);
    }
    if (!call.is_recorded()) return call(function, data, further...);
    Region region{function, data, next_region(), begins, pthread_self(), call.runtime()};
    call.enter({.state = State::fork, .key = region.number, .place = region.place});
    struct End {
        const GompCall<Result(Function*, void*, Further...)>& call;
        uint32_t number;
        ~End() { call.leave(Family::fork, number); }
    } end{call, region.number};
    return call(run_part, static_cast<void*>(&region), further...);
}

}  // namespace

}  // namespace ovni::openmp

using namespace ovni::openmp;

#pragma GCC visibility push(default)

extern "C" {

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
    OVNI_GOMP_FUNCTION gomp("GOMP_parallel");
    pass_region<void>(gomp, Begins::plain, __builtin_return_address(0), function, data, threads, flags);
}

unsigned GOMP_parallel_reductions(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
    OVNI_GOMP_FUNCTION gomp("GOMP_parallel_reductions");
    return pass_region<unsigned>(gomp, Begins::plain, __builtin_return_address(0), function, data, threads,
                                 flags);
}

void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads, unsigned count,
                            unsigned flags) {
    OVNI_GOMP_FUNCTION gomp("GOMP_parallel_sections");
    pass_region<void>(gomp, Begins::sections, __builtin_return_address(0), function, data, threads, count,
                      flags);
}

#define OVNI_PARALLEL_LOOP(name)                                                                           \
    void GOMP_parallel_loop_##name(void (*function)(void*), void* data, unsigned threads, long start,      \
                                   long end, long step, long chunk, unsigned flags) {                      \
        OVNI_GOMP_FUNCTION gomp("GOMP_parallel_loop_" #name);                                              \
        pass_region<void>(gomp, Begins::loop, __builtin_return_address(0), function, data, threads, start, \
                          end, step, chunk, flags);                                                        \
    }
OVNI_PARALLEL_LOOP(static)
OVNI_PARALLEL_LOOP(dynamic)
OVNI_PARALLEL_LOOP(guided)
OVNI_PARALLEL_LOOP(nonmonotonic_dynamic)
OVNI_PARALLEL_LOOP(nonmonotonic_guided)

#define OVNI_PARALLEL_LOOP_BY_VARIABLE(name)                                                               \
    void GOMP_parallel_loop_##name(void (*function)(void*), void* data, unsigned threads, long start,      \
                                   long end, long step, unsigned flags) {                                  \
        OVNI_GOMP_FUNCTION gomp("GOMP_parallel_loop_" #name);                                              \
        pass_region<void>(gomp, Begins::loop, __builtin_return_address(0), function, data, threads, start, \
                          end, step, flags);                                                               \
    }
OVNI_PARALLEL_LOOP_BY_VARIABLE(runtime)
OVNI_PARALLEL_LOOP_BY_VARIABLE(nonmonotonic_runtime)
OVNI_PARALLEL_LOOP_BY_VARIABLE(maybe_nonmonotonic_runtime)

}  // extern "C"

#pragma GCC visibility pop
