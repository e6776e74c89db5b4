// The functions of functions.inc as the program finds them. The path of an object that is free does no more
// than the function itself: it tries first, and reads no clock.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include <cerrno>
#include <type_traits>

#include "threads/objects.hpp"
#include "threads/real_functions.hpp"
#include "threads/recorder.hpp"
#include "threads/unwound.h"

namespace ovni::threads {

namespace {

// The results by which an attempt reports that the object is busy, and a function that it failed.
struct ReturnsError {
    static constexpr bool may_set_errno = false;
    static bool is_busy(int result) { return result == EBUSY; }
    static int error_of(int result) { return result; }
};
struct SetsErrno {
    static constexpr bool may_set_errno = true;
    static bool is_busy(int result) { return result == -1 && errno == EAGAIN; }
    static int error_of(int result) { return result == -1 ? errno : 0; }
};
struct ReturnsThrd {
    static constexpr bool may_set_errno = false;
    static bool is_busy(int result) { return result == thrd_busy; }
    static int error_of(int result) {
        constexpr int errors[] = {0, EBUSY, EINVAL, ENOMEM, ETIMEDOUT};
        static_assert(thrd_success == 0 && thrd_busy == 1 && thrd_error == 2 && thrd_nomem == 3 &&
                      thrd_timedout == 4);
        return result >= thrd_success && result <= thrd_timedout ? errors[result] : EINVAL;
    }
};

// An attempt at a robust mutex that is lost leaves it locked, in this C library, so it is only looked at. So
// is an object whose function is layered: the layer gets the call that the program makes. A mutex is busy
// while a living thread has it.
[[gnu::cold, gnu::noinline]] int look_at(const pthread_mutex_t* mutex) {
    auto lock = static_cast<uint32_t>(__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED));
    return (lock & FUTEX_TID_MASK) != 0 && (lock & FUTEX_OWNER_DIED) == 0 ? EBUSY : 0;
}
template <class Object>
constexpr bool is_only_looked_at(Object object) {
    constexpr int robust = 0x10;
    if constexpr (std::is_same_v<Object, pthread_mutex_t*>)
        return (__atomic_load_n(&object->__data.__kind, __ATOMIC_RELAXED) & robust) != 0;
    else
        return false;
}

// A function looks at the time first, and at the clock, if these are wrong; a null time is none.
[[maybe_unused]] bool is_time(const timespec* until) {
    constexpr long second = 1'000'000'000;
    return until && until->tv_nsec >= 0 && until->tv_nsec < second;
}
[[maybe_unused]] bool is_clock(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

// Bit 1 of the C library's control: the function has been called.
bool is_done(const pthread_once_t* control) {
    return (__atomic_load_n(control, __ATOMIC_ACQUIRE) & 2) != 0;
}

const void* address_of(const volatile void* object) {
    return const_cast<const void*>(object);
}
const void* address_of(pthread_t thread) {
    return reinterpret_cast<const void*>(thread);
}
const void* object_of(const volatile void* object) {
    return address_of(object);
}

// A thread that has an error checking mutex does not wait for it.
bool waits_in_vain(State state, const void* object) {
    if (state != State::mutex) return false;
    constexpr int kinds = 3;
    const auto* mutex = static_cast<const pthread_mutex_t*>(object);
    return (mutex->__data.__kind & kinds) == PTHREAD_MUTEX_ERRORCHECK_NP &&
           holder_of(state, object) == static_cast<int32_t>(gettid());
}

template <class Results, class Call>
struct RecordedCall {
    Wait wait;
    Call& call;
    int result = 0;
    int error = not_returned;

    static void run(void* argument) {
        auto& own = *static_cast<RecordedCall*>(argument);
        own.result = own.call();
        own.error = Results::error_of(own.result);
    }
    static void leave(void* argument) {
        const auto& own = *static_cast<RecordedCall*>(argument);
        end_wait(own.wait, own.error);
    }
};

template <class Results, class Call>
[[gnu::noinline]] int wait(Wait wait, Call call) {
    if (waits_in_vain(wait.state, wait.object) || !begin_wait(wait)) return call();
    RecordedCall<Results, Call> recorded{wait, call};
    ovni_threads_call(recorded.run, recorded.leave, &recorded);
    return recorded.result;
}

// `acquired`: the event of an attempt that succeeds, if all is recorded.
template <class Results, class Attempt, class Call>
[[gnu::always_inline]] inline int try_then_wait(const Wait& about, EventCode acquired, Attempt attempt,
                                                Call call) {
    [[maybe_unused]] int before = Results::may_set_errno ? errno : 0;
    int result = attempt();
    if (__builtin_expect(!Results::is_busy(result), 1)) {
        if (__builtin_expect(records_all(), 0)) record_instant(acquired, about, Results::error_of(result));
        return result;
    }
    if (Results::may_set_errno) errno = before;
    return wait<Results>(about, call);
}

// Calls what the program called, and nothing else. An object that cannot be looked at may be busy.
template <class Results, class Call>
[[gnu::cold, gnu::noinline]] int look_then_wait(const Wait& about, Call call) {
    if (about.state != State::mutex || look_at(static_cast<const pthread_mutex_t*>(about.object)) != 0)
        return wait<Results>(about, call);
    const int result = call();
    if (records_all()) record_instant("HMa", about, Results::error_of(result));
    return result;
}

template <class Call>
struct OnceRun {
    const void* object;
    Call& call;
    int result = 0;

    static void run(void* argument) {
        auto& own = *static_cast<OnceRun*>(argument);
        own.result = own.call();
    }
    static void leave(void* argument) { end_run_once(static_cast<const OnceRun*>(argument)->object); }
};

// The thread that runs the function does not wait.
template <class Call>
[[gnu::noinline]] int run_or_wait(const Wait& about, const pthread_once_t* control, Call call) {
    if (is_done(control) || !records_waits()) return call();
    if (!begin_run_once(control)) return wait<ReturnsError>(about, call);
    OnceRun<Call> running{control, call};
    ovni_threads_call(running.run, running.leave, &running);
    return running.result;
}

// In the order of State.
constexpr EventCode acquired_events[] = {"HMa", "HRa", "HWa", "HPa", "HBa", "HCa", "HJa", "HSa", "HOa"};

struct Instant {
    EventCode code;
    State state;
};
namespace instant {
constexpr Instant mutex_tried{"HMt", State::mutex}, mutex_released{"HMu", State::mutex},
    read_tried{"HRt", State::read}, write_tried{"HWt", State::write}, rwlock_released{"HRu", State::read},
    spin_tried{"HPt", State::spin}, spin_released{"HPu", State::spin}, signalled{"HCs", State::condition},
    broadcast{"HCb", State::condition}, semaphore_tried{"HSt", State::semaphore},
    posted{"HSp", State::semaphore}, join_tried{"HJt", State::join};
}
namespace of_thread {
constexpr EventCode detaches{"HTd"}, cancels{"HTk"};
}

}  // namespace

#define OVNI_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define OVNI_ABOUT(state)                                           \
    ::ovni::threads::Wait {                                         \
        state, object_of(o), address_of(o), OVNI_CALLER,            \
            reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) \
    }
// The names in C++ are others, as the headers declare these functions with attributes that differ.
#define OVNI_FUNCTION(name, parameters)                                                      \
    extern "C" [[gnu::visibility("default")]] int ovni_wrapped_##name parameters asm(#name); \
    extern "C" int ovni_wrapped_##name parameters

#define WAIT(name, parameters, arguments, state, results, may_try, attempt)                            \
    OVNI_FUNCTION(name, parameters) {                                                                  \
        if (!(may_try)) return r.name arguments;                                                       \
        auto call = [=] { return r.name arguments; };                                                  \
        const bool is_layered = may_be_layered.load(std::memory_order_relaxed) && r.name.is_layered(); \
        if (__builtin_expect(is_layered || is_only_looked_at(o), 0))                                   \
            return look_then_wait<results>(OVNI_ABOUT(State::state), call);                            \
        return try_then_wait<results>(                                                                 \
            OVNI_ABOUT(State::state), acquired_events[static_cast<unsigned>(State::state)],            \
            [&]() __attribute__((always_inline)) { return attempt; }, call);                           \
    }
#define ALWAYS(name, parameters, arguments, state)                                             \
    OVNI_FUNCTION(name, parameters) {                                                          \
        return wait<ReturnsError>(OVNI_ABOUT(State::state), [=] { return r.name arguments; }); \
    }
#define ONCE(name, parameters, arguments)                                                 \
    OVNI_FUNCTION(name, parameters) {                                                     \
        return run_or_wait(OVNI_ABOUT(State::once), o, [=] { return r.name arguments; }); \
    }
#define INSTANT(name, parameters, arguments, event)                       \
    OVNI_FUNCTION(name, parameters) {                                     \
        if (__builtin_expect(!records_all(), 1)) return r.name arguments; \
        const Instant what = instant::event;                              \
        const Wait about = OVNI_ABOUT(what.state);                        \
        const int result = r.name arguments;                              \
        record_instant(what.code, about, result == -1 ? errno : result);  \
        return result;                                                    \
    }
#define OF_THREAD(name, parameters, arguments, event, thread)    \
    OVNI_FUNCTION(name, parameters) {                            \
        record_of_thread(of_thread::event, thread, OVNI_CALLER); \
        return r.name arguments;                                 \
    }
#include "threads/functions.inc"

extern "C" {

[[gnu::visibility("default"), noreturn]] void ovni_wrapped_pthread_exit(void* value) asm("pthread_exit");
void ovni_wrapped_pthread_exit(void* value) {
    record_of_thread("HTe", pthread_self(), OVNI_CALLER);
    r.pthread_exit(value);
    __builtin_unreachable();
}

[[gnu::visibility("default")]] void ovni_wrapped_call_once(once_flag* o, void (*function)()) asm("call_once");
void ovni_wrapped_call_once(once_flag* o, void (*function)()) {
    static_assert(sizeof(once_flag) == sizeof(pthread_once_t));
    run_or_wait(OVNI_ABOUT(State::once), reinterpret_cast<const pthread_once_t*>(o),
                [=] { return r.call_once(o, function), 0; });
}

}  // extern "C"

}  // namespace ovni::threads
