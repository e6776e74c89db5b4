// Tasks of programs that GCC compiled. libgomp copies the arguments of a task when it is made; a header of
// ours in front of them says which function they are for. Tasks that are completed by an event, and those of
// taskloops with reductions, need the arguments where libgomp expects them: these are passed on as they are.
#include <cstddef>
#include <cstring>

#include "openmp/gomp_call.hpp"

namespace ovni::openmp {

namespace {

using Function = void(void*);
using Copy = void(void* to, void* from);

namespace flag {
constexpr unsigned reduction = 1u << 12, detach = 1u << 13;
}

// The head of the arguments. libgomp writes the bounds of a chunk of a taskloop to their begin.
struct Header {
    uint64_t bounds[2];
    Function* function;
    size_t offset;  // of the program's arguments
    uint32_t number;
    CodePlace place;
};

// Stands for the arguments, where libgomp is given them.
struct Making {
    Function* function;
    Copy* copy;  // null: bytes
    void* arguments;
    size_t size, offset;
    CodePlace place;
};

size_t round_up(size_t size, size_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

Making making_of(Function* function, Copy* copy, void* arguments, long size, long alignment) noexcept {
    const size_t aligned = alignment > 0 ? static_cast<size_t>(alignment) : 1;
    return {function,
            copy,
            arguments,
            static_cast<size_t>(size),
            round_up(sizeof(Header), aligned),
            place_of(reinterpret_cast<const void*>(function), Construct::task_function)};
}

// libgomp calls it when the task is made, in the thread that makes it.
void make(void* to, void* from) {
    const auto& making = *static_cast<Making*>(from);
    Header header{{}, making.function, making.offset, next_task(), making.place};
    memcpy(to, &header, sizeof header);
    void* arguments = static_cast<char*>(to) + making.offset;
    if (making.copy)
        making.copy(arguments, making.arguments);
    else if (making.size > 0)
        memcpy(arguments, making.arguments, making.size);
    if (Report report; report) report->record_task_creation(header.number, header.place);
}

void run_made(const Header& header, void* arguments) {
    {
        Report report;
        if (report) {
            report->record_cpu();
            report->enter(
                {.state = State::task, .key = header.number, .place = header.place, .number = header.number});
        }
    }
    header.function(arguments);
    if (Report report; report) report->leave(Family::task, header.number);
}

// A thread takes it from the maker of the task. libgomp orders the two; see tests/openmp/handed_over.
Header take_header(const void* made) noexcept {
    Header header;
    memcpy(&header, made, sizeof header);
    return header;
}

void run(void* made) {
    const Header header = take_header(made);
    run_made(header, static_cast<char*>(made) + header.offset);
}

void run_chunk(void* made) {
    const Header header = take_header(made);
    void* arguments = static_cast<char*>(made) + header.offset;
    memcpy(arguments, header.bounds, sizeof header.bounds);
    run_made(header, arguments);
}

constexpr long alignment_of(long alignment) {
    constexpr long least = alignof(Header);
    return alignment > least ? alignment : least;
}

// Runs a task without a runtime. `bounds`: of the whole taskloop; null for other tasks.
template <class Bound>
void run_alone(Function* function, void* data, Copy* copy, long size, long alignment, const Bound* bounds) {
    const size_t aligned = alignment > 0 ? static_cast<size_t>(alignment) : 1;
    if (copy) {
        const size_t room = static_cast<size_t>(size) + aligned;
        const auto begin = reinterpret_cast<uintptr_t>(__builtin_alloca(room));
        void* arguments = reinterpret_cast<void*>(round_up(begin, aligned));
        copy(arguments, data);
        data = arguments;
    }
    if (bounds) memcpy(data, bounds, 2 * sizeof *bounds);
    function(data);
}

template <class Bound>
void pass_taskloop(const GompFunction& gomp, const void* caller, Function* function, void* data, Copy* copy,
                   long size, long alignment, unsigned flags, unsigned long tasks, int priority, Bound start,
                   Bound end, Bound step) {
    const GompCall<void(Function*, void*, Copy*, long, long, unsigned, unsigned long, int, Bound, Bound,
                        Bound)>
        call(gomp, caller);
    const Bound bounds[2] = {start, end};
    if (!call) return run_alone(function, data, copy, size, alignment, bounds);
    if (!call.is_recorded() || (flags & flag::reduction) != 0)
        return call(function, data, copy, size, alignment, flags, tasks, priority, start, end, step);
    Making making = making_of(function, copy, data, size, alignment_of(alignment));
    const auto key = static_cast<uint64_t>(Construct::taskloop);
    call.enter({.state = State::work_taskloop, .key = key, .place = place_of(caller, Construct::taskloop)});
    call(run_chunk, &making, make, size + static_cast<long>(making.offset), alignment_of(alignment), flags,
         tasks, priority, start, end, step);
    call.leave(Family::work, key);
}

}  // namespace

}  // namespace ovni::openmp

using namespace ovni::openmp;

#pragma GCC visibility push(default)

extern "C" {

// Older compilers pass fewer arguments; the flags determine which of the last ones are read.
void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
               bool is_deferred, unsigned flags, void** depend, int priority, void* detach) {
    OVNI_GOMP_FUNCTION gomp("GOMP_task");
    const GompCall<void(Function*, void*, Copy*, long, long, bool, unsigned, void**, int, void*)> call(
        gomp, __builtin_return_address(0));
    if (!call) return run_alone<long>(function, data, copy, size, alignment, nullptr);
    if (!call.is_recorded() || (flags & flag::detach) != 0)
        return call(function, data, copy, size, alignment, is_deferred, flags, depend, priority, detach);
    Making making = making_of(function, copy, data, size, alignment_of(alignment));
    call(run, &making, make, size + static_cast<long>(making.offset), alignment_of(alignment), is_deferred,
         flags, depend, priority, detach);
}

void GOMP_taskloop(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
                   unsigned flags, unsigned long tasks, int priority, long start, long end, long step) {
    OVNI_GOMP_FUNCTION gomp("GOMP_taskloop");
    pass_taskloop(gomp, __builtin_return_address(0), function, data, copy, size, alignment, flags, tasks,
                  priority, start, end, step);
}

void GOMP_taskloop_ull(void (*function)(void*), void* data, void (*copy)(void*, void*), long size,
                       long alignment, unsigned flags, unsigned long tasks, int priority,
                       unsigned long long start, unsigned long long end, unsigned long long step) {
    OVNI_GOMP_FUNCTION gomp("GOMP_taskloop_ull");
    pass_taskloop(gomp, __builtin_return_address(0), function, data, copy, size, alignment, flags, tasks,
                  priority, start, end, step);
}

}  // extern "C"

#pragma GCC visibility pop
