// Barriers, waits for tasks and mutual exclusion of programs that GCC compiled.
#include "openmp/gomp_call.hpp"

namespace ovni::openmp {

namespace {

template <class Result, class... Arguments>
Result pass_wait(const GompFunction& gomp, State state, const void* caller, Arguments... arguments) {
    const GompCall<Result(Arguments...)> call(gomp, caller);
    call.enter(wait_of(state));
    struct Left {
        const GompCall<Result(Arguments...)>& call;
        State state;
        ~Left() { call.leave_wait(state); }
    } left{call, state};
    return call(arguments...);
}

template <class... Arguments>
void pass_acquire(const GompFunction& gomp, State acquiring, State holding, uint64_t id, const void* caller,
                  Arguments... arguments) {
    const GompCall<void(Arguments...)> call(gomp, caller);
    call.enter({.state = acquiring, .key = id});
    call(arguments...);
    call.leave(Family::acquiring, id);
    call.enter({.state = holding, .key = id});
}

// The lock is no longer held when others may have it.
template <class... Arguments>
void pass_release(const GompFunction& gomp, uint64_t id, const void* caller, Arguments... arguments) {
    const GompCall<void(Arguments...)> call(gomp, caller);
    call.leave(Family::holding, id);
    call(arguments...);
}

uint64_t id_of(const void* lock) {
    return reinterpret_cast<uint64_t>(lock);
}

// Ids of what has no address.
constexpr uint64_t unnamed_critical = 1, all_atomics = 2, innermost_ordered = 3;

}  // namespace

}  // namespace ovni::openmp

using namespace ovni::openmp;

#pragma GCC visibility push(default)

extern "C" {

#define OVNI_WAIT(name, state)                                     \
    void GOMP_##name() {                                           \
        OVNI_GOMP_FUNCTION gomp("GOMP_" #name);                    \
        pass_wait<void>(gomp, state, __builtin_return_address(0)); \
    }
OVNI_WAIT(barrier, State::barrier_plain)
OVNI_WAIT(taskwait, State::taskwait)

bool GOMP_barrier_cancel() {
    OVNI_GOMP_FUNCTION gomp("GOMP_barrier_cancel");
    return pass_wait<bool>(gomp, State::barrier_plain, __builtin_return_address(0));
}
void GOMP_taskwait_depend(void** depend) {
    OVNI_GOMP_FUNCTION gomp("GOMP_taskwait_depend");
    pass_wait<void>(gomp, State::taskwait, __builtin_return_address(0), depend);
}

void GOMP_taskgroup_start() {
    OVNI_GOMP_FUNCTION gomp("GOMP_taskgroup_start");
    const GompCall<void()> call(gomp, __builtin_return_address(0));
    call.enter(wait_of(State::taskgroup));
    call();
}
void GOMP_taskgroup_end() {
    OVNI_GOMP_FUNCTION gomp("GOMP_taskgroup_end");
    const GompCall<void()> call(gomp, __builtin_return_address(0));
    call();
    call.leave_wait(State::taskgroup);
}

#define OVNI_EXCLUSION(name, kind, id)                                                                       \
    void GOMP_##name##_start() {                                                                             \
        OVNI_GOMP_FUNCTION gomp("GOMP_" #name "_start");                                                     \
        pass_acquire(gomp, State::kind##_acquiring, State::kind##_section, id, __builtin_return_address(0)); \
    }                                                                                                        \
    void GOMP_##name##_end() {                                                                               \
        OVNI_GOMP_FUNCTION gomp("GOMP_" #name "_end");                                                       \
        pass_release(gomp, id, __builtin_return_address(0));                                                 \
    }
OVNI_EXCLUSION(critical, critical, unnamed_critical)
OVNI_EXCLUSION(atomic, atomic, all_atomics)
OVNI_EXCLUSION(ordered, ordered, innermost_ordered)

void GOMP_critical_name_start(void** name) {
    OVNI_GOMP_FUNCTION gomp("GOMP_critical_name_start");
    pass_acquire(gomp, State::critical_acquiring, State::critical_section, id_of(name),
                 __builtin_return_address(0), name);
}
void GOMP_critical_name_end(void** name) {
    OVNI_GOMP_FUNCTION gomp("GOMP_critical_name_end");
    pass_release(gomp, id_of(name), __builtin_return_address(0), name);
}

#define OVNI_LOCK(name)                                                             \
    void omp_set_##name(void* lock) {                                               \
        OVNI_GOMP_FUNCTION gomp("omp_set_" #name);                                  \
        pass_acquire(gomp, State::lock_acquiring, State::lock_holding, id_of(lock), \
                     __builtin_return_address(0), lock);                            \
    }                                                                               \
    void omp_unset_##name(void* lock) {                                             \
        OVNI_GOMP_FUNCTION gomp("omp_unset_" #name);                                \
        pass_release(gomp, id_of(lock), __builtin_return_address(0), lock);         \
    }                                                                               \
    int omp_test_##name(void* lock) {                                               \
        OVNI_GOMP_FUNCTION gomp("omp_test_" #name);                                 \
        const GompCall<int(void*)> call(gomp, __builtin_return_address(0));         \
        const int has = call ? call(lock) : 1;                                      \
        if (has) call.enter({.state = State::lock_holding, .key = id_of(lock)});    \
        return has;                                                                 \
    }
OVNI_LOCK(lock)
OVNI_LOCK(nest_lock)

}  // extern "C"

#pragma GCC visibility pop
