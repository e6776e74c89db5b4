// A SlowPath surrounds every slow path of the library: errno is kept, the thread cannot be cancelled, and
// signals wait. So a handler that emits never finds a lock held by the thread it interrupted. Signals of
// faults stay open for the program's crash handlers: is_inside() is true there, and nothing may wait or take
// a lock.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <ctime>

#include "core/cancellation_waits.hpp"
#include "core/keep_errno.hpp"
#include "ring/signal_mask.hpp"

namespace ovni::writer {

// A blocked fault signal stays blocked: its handler may be running, and must not interrupt itself.
inline void block_signals(sigset_t* before) noexcept {
    sigset_t all = all_signals();
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    change_signals(SIG_BLOCK, all, before);
}

// True if a signal is pending that usually ends a program.
inline bool end_is_wanted() noexcept {
    sigset_t waiting;
    if (sigpending(&waiting) != 0) return false;
    for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGABRT, SIGXCPU})
        if (sigismember(&waiting, signal) == 1) return true;
    return false;
}

class Stream;

enum class ThreadPhase : uint8_t {
    fresh,       // no stream yet
    open,        // has a stream, the program's or ours
    finished,    // ovni_thread_free was called
    unrecorded,  // had no memory for a stream: its events are lost, and counted
    ended        // only other libraries' destructors still run: their events are lost, and counted
};

// All thread-local state of the library, in one piece: programs have little room for such memory.
struct ThreadState {
    Stream* stream = nullptr;
    ThreadPhase phase = ThreadPhase::fresh;
    bool waits_for_memory = false;       // see memory.hpp
    volatile bool holds_memory = false;  // the lock of memory.cpp
    volatile bool forks = false;         // between the handlers of a fork, holds all locks
    volatile int slow_paths = 0;         // how many the thread is in

    void become(ThreadPhase next, Stream* with = nullptr) noexcept {
        stream = with;
        phase = next;
    }
};
inline constinit thread_local ThreadState own_thread_state;

// True if another copy of the library in the process records: this one does nothing.
inline constinit bool is_second_copy = false;

// True if a call comes from a handler that interrupted another call of the library.
inline bool is_inside() noexcept {
    return own_thread_state.slow_paths > 0 || is_second_copy;
}

// Only delays signals and cancellation: functions called meanwhile may still emit. The thread may be
// cancelled in the constructor and in the destructor, where it holds nothing.
class SignalsWait {
 public:
    SignalsWait() noexcept { block_signals(&before_); }
    ~SignalsWait() { change_signals(SIG_SETMASK, before_); }
    const sigset_t& before() const noexcept { return before_; }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

 private:
    CancellationWaits cancellation_;
    sigset_t before_;
};

class SlowPath {
 public:
    SlowPath() noexcept { own_thread_state.slow_paths = own_thread_state.slow_paths + 1; }
    ~SlowPath() { own_thread_state.slow_paths = own_thread_state.slow_paths - 1; }
    const sigset_t& signals_before() const noexcept { return wait_.before(); }
    SlowPath(const SlowPath&) = delete;
    SlowPath& operator=(const SlowPath&) = delete;

 private:
    KeepErrno errno_;
    SignalsWait wait_;
};

// A mutex that is ready before any constructor has run and is never destroyed. Taken only inside a SlowPath.
class Mutex {
 public:
    constexpr Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;
    void lock() noexcept { pthread_mutex_lock(&mutex_); }
    bool try_lock() noexcept { return pthread_mutex_trylock(&mutex_) == 0; }
    // For the end of a process, because the holder may be in a handler that never returns. Returns false
    // after a second.
    bool lock_soon() noexcept {
        constexpr timespec moment{0, 10'000'000};
        for (int attempt = 0; attempt < 100; ++attempt) {
            if (try_lock()) return true;
            nanosleep(&moment, nullptr);
        }
        return false;
    }
    bool comes_free() noexcept { return lock_soon() && (unlock(), true); }
    void unlock() noexcept { pthread_mutex_unlock(&mutex_); }
    // Call in a fork's child: other threads, and their locks, do not exist there.
    void forget() noexcept { mutex_ = PTHREAD_MUTEX_INITIALIZER; }

 private:
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

template <class Lockable>
class Lock {
 public:
    explicit Lock(Lockable& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    ~Lock() { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

 private:
    Lockable& mutex_;
};

// A global object that is ready before any constructor and stays alive after every destructor.
template <class T>
union Immortal {
    constexpr Immortal() : value() {}
    ~Immortal() {}
    T value;
};

}  // namespace ovni::writer
