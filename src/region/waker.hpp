// Wakes a thread that polls, whatever its descriptors are: others send it a signal, which it has blocked, and
// polls for. One that nobody uses; it is never delivered.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "region/own_descriptor.hpp"

namespace ovni::region {

class Waker {
 public:
    constexpr Waker() = default;
    // For the same reason it is left open where its numbers are those of the program, too.
    ~Waker() { descriptor_.forget(); }

    // Called by the thread that is to be woken, which has all signals blocked. -1 where the system has no
    // descriptor for it.
    int watch() noexcept {
        if (descriptor_.get() < 0) {
            sigset_t signals = set();
            descriptor_ = OwnDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
        }
        return descriptor_.get();
    }
    // The same, when it has woken because of that. The signal is taken without the descriptor: a timer or
    // event of the program that has taken its number cannot be told from it.
    void quieten() noexcept {
        constexpr timespec now{0, 0};
        sigset_t signals = set();
        if (::sigtimedwait(&signals, nullptr, &now) != number) descriptor_.forget();
    }

    // Any thread, while that one is there.
    static void wake(pid_t thread) noexcept { ::syscall(SYS_tgkill, ::getpid(), thread, number); }

 private:
    static constexpr int number = SIGSTKFLT;

    static sigset_t set() noexcept {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, number);
        return signals;
    }

    OwnDescriptor descriptor_;
};

}  // namespace ovni::region
