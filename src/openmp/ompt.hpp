// The part of the OpenMP tools interface (OMPT, chapter 4 of the OpenMP specification 5.1) that the tracer
// uses. Numbers and arguments are those of the specification, where the names begin with `ompt_`;
// tests/openmp compares them with the header of a runtime.
#pragma once

#include <cstdint>

namespace ovni::openmp::ompt {

// A word that the tool keeps with a thread, a parallel region or a task. A pointer to such a word may be
// null.
union Data {
    uint64_t value;
    void* pointer;
};

using AnyFunction = void (*)();
using Lookup = AnyFunction (*)(const char* name);

struct StartToolResult {
    int (*initialize)(Lookup lookup, int initial_device, Data* tool);  // 0: the tool is not used
    void (*finalize)(Data* tool);
    Data tool;
};

namespace callback {
enum : int {
    thread_begin = 1,
    thread_end = 2,
    parallel_begin = 3,
    parallel_end = 4,
    task_create = 5,
    task_schedule = 6,
    implicit_task = 7,
    sync_region_wait = 16,
    mutex_released = 17,
    task_dependence = 19,
    work = 20,
    masked = 21,
    sync_region = 23,
    mutex_acquire = 26,
    mutex_acquired = 27,
    cancel = 30,
    reduction = 31,
    dispatch = 32
};
}

// The runtime may not support a callback; the result is not used.
using SetCallback = int (*)(int callback, AnyFunction function);

namespace thread {
enum : int { initial = 1, worker = 2, other = 3 };
}
namespace endpoint {
enum : int { begin = 1, end = 2, both = 3 };
}
namespace sync {
enum : int {
    barrier = 1,
    barrier_implicit = 2,
    barrier_explicit = 3,
    barrier_implementation = 4,
    taskwait = 5,
    taskgroup = 6,
    reduction = 7,
    barrier_implicit_workshare = 8,
    barrier_implicit_parallel = 9,
    barrier_teams = 10
};
}
namespace work {
enum : int {
    loop = 1,
    sections = 2,
    single_executor = 3,
    single_other = 4,
    workshare = 5,
    distribute = 6,
    taskloop = 7,
    scope = 8,
    loop_static = 10,
    loop_dynamic = 11,
    loop_guided = 12,
    loop_other = 13
};
}
namespace mutex {
enum : int {
    lock = 1,
    test_lock = 2,
    nest_lock = 3,
    test_nest_lock = 4,
    critical = 5,
    atomic = 6,
    ordered = 7
};
}
namespace dispatch {
enum : int { iteration = 1, section = 2, ws_loop_chunk = 3, taskloop_chunk = 4, distribute_chunk = 5 };
}
namespace task {
enum : uint32_t {
    initial = 0x1,
    implicit = 0x2,
    explicit_ = 0x4,
    target = 0x8,
    taskwait = 0x10,
    undeferred = 0x08000000,
    untied = 0x10000000
};
}
namespace task_status {
enum : int {
    complete = 1,
    yield = 2,
    cancel = 3,
    detach = 4,
    early_fulfill = 5,
    late_fulfill = 6,
    switch_ = 7,
    taskwait_complete = 8
};
}

// Data of a dispatched chunk points to it.
struct DispatchChunk {
    uint64_t start;
    uint64_t iterations;
};

}  // namespace ovni::openmp::ompt
