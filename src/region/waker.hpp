// Wakes a thread that polls, even if the program closes its descriptors: others send it a signal, which it
// has blocked and polls for. Programs do not use this signal, and it is never delivered.
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
    // Leaves the descriptor open, because its number may be the program's by now.
    ~Waker() { descriptor_.forget(); }

    // The descriptor to poll. Call in the thread to wake, with all signals blocked. -1 if the system has no
    // descriptor left.
    int watch() noexcept {
        if (descriptor_.get() < 0) {
            sigset_t signals = set();
            descriptor_ = OwnDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
        }
        return descriptor_.get();
    }
    // Call in that thread after it was woken. Consumes the signal without the descriptor, whose number may be
    // the program's by now.
    void quieten() noexcept {
        constexpr timespec now{0, 0};
        sigset_t signals = set();
        if (::sigtimedwait(&signals, nullptr, &now) != number) descriptor_.forget();
    }

    // Any thread, while `thread` lives.
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
