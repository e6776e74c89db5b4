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
    const void* caller;
    Place place = place_of(reinterpret_cast<const void*>(function), Construct::region_function);
};

OVNI_GOMP_FUNCTION get_thread_num{"omp_get_thread_num"}, get_num_threads{"omp_get_num_threads"};

uint32_t ask(GompFunction& function, const void* caller) {
    auto* real = real_of<int()>(function, caller);
    return real ? static_cast<uint32_t>(real()) : 0;
}

uint64_t begin_part(const Region& region) noexcept {
    Report report;
    const uint64_t task = next_task();
    if (!report) return task;
    report->say_cpu();
    report->enter({.state = State::part_of_region,
                   .key = task,
                   .place = region.place,
                   .number = region.number,
                   .threads = ask(get_num_threads, region.caller),
                   .thread = ask(get_thread_num, region.caller)});
    if (region.begins == Begins::loop)
        report->enter({.state = State::work_dynamic, .key = static_cast<uint64_t>(Construct::loop)});
    if (region.begins == Begins::sections)
        report->enter({.state = State::work_sections, .key = static_cast<uint64_t>(Construct::sections)});
    return task;
}

void run_part(void* argument) {
    const Region region = *static_cast<Region*>(argument);
    const uint64_t task = begin_part(region);
    region.function(region.data);
    Report report;
    if (!report) return;
    report->leave(Family::task, task);
    if (pthread_equal(region.maker, pthread_self())) report->enter(wait_of(State::barrier_join));
}

// Calls `real(function, data)` with the function and data of the region, or with ours around them.
template <class Real>
auto in_region(Function* function, void* data, Begins begins, const void* caller, Real real) {
    if (!records_gomp()) return real(function, data);
    Region region{function, data, next_region(), begins, pthread_self(), caller};
    report_enter({.state = State::fork, .key = region.number, .place = region.place});
    struct End {
        uint32_t number;
        ~End() { report_leave(Family::fork, number); }
    } end{region.number};
    return real(run_part, static_cast<void*>(&region));
}

}  // namespace

}  // namespace ovni::openmp

using namespace ovni::openmp;

#pragma GCC visibility push(default)

extern "C" {

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
    OVNI_GOMP_FUNCTION gomp("GOMP_parallel");
    const void* caller = __builtin_return_address(0);
    auto* real = real_of<void(Function*, void*, unsigned, unsigned)>(gomp, caller);
    in_region(function, data, Begins::plain, caller,
              [&](Function* f, void* d) { real(f, d, threads, flags); });
}

unsigned GOMP_parallel_reductions(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
    OVNI_GOMP_FUNCTION gomp("GOMP_parallel_reductions");
    const void* caller = __builtin_return_address(0);
    auto* real = real_of<unsigned(Function*, void*, unsigned, unsigned)>(gomp, caller);
    return in_region(function, data, Begins::plain, caller,
                     [&](Function* f, void* d) { return real(f, d, threads, flags); });
}

void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads, unsigned count,
                            unsigned flags) {
    OVNI_GOMP_FUNCTION gomp("GOMP_parallel_sections");
    const void* caller = __builtin_return_address(0);
    auto* real = real_of<void(Function*, void*, unsigned, unsigned, unsigned)>(gomp, caller);
    in_region(function, data, Begins::sections, caller,
              [&](Function* f, void* d) { real(f, d, threads, count, flags); });
}

#define OVNI_PARALLEL_LOOP(name)                                                                       \
    void GOMP_parallel_loop_##name(void (*function)(void*), void* data, unsigned threads, long start,  \
                                   long end, long step, long chunk, unsigned flags) {                  \
        OVNI_GOMP_FUNCTION gomp("GOMP_parallel_loop_" #name);                                          \
        const void* caller = __builtin_return_address(0);                                              \
        auto* real =                                                                                   \
            real_of<void(Function*, void*, unsigned, long, long, long, long, unsigned)>(gomp, caller); \
        in_region(function, data, Begins::loop, caller,                                                \
                  [&](Function* f, void* d) { real(f, d, threads, start, end, step, chunk, flags); }); \
    }
OVNI_PARALLEL_LOOP(static)
OVNI_PARALLEL_LOOP(dynamic)
OVNI_PARALLEL_LOOP(guided)
OVNI_PARALLEL_LOOP(nonmonotonic_dynamic)
OVNI_PARALLEL_LOOP(nonmonotonic_guided)

#define OVNI_PARALLEL_LOOP_BY_VARIABLE(name)                                                              \
    void GOMP_parallel_loop_##name(void (*function)(void*), void* data, unsigned threads, long start,     \
                                   long end, long step, unsigned flags) {                                 \
        OVNI_GOMP_FUNCTION gomp("GOMP_parallel_loop_" #name);                                             \
        const void* caller = __builtin_return_address(0);                                                 \
        auto* real = real_of<void(Function*, void*, unsigned, long, long, long, unsigned)>(gomp, caller); \
        in_region(function, data, Begins::loop, caller,                                                   \
                  [&](Function* f, void* d) { real(f, d, threads, start, end, step, flags); });           \
    }
OVNI_PARALLEL_LOOP_BY_VARIABLE(runtime)
OVNI_PARALLEL_LOOP_BY_VARIABLE(nonmonotonic_runtime)
OVNI_PARALLEL_LOOP_BY_VARIABLE(maybe_nonmonotonic_runtime)

}  // extern "C"

#pragma GCC visibility pop
