// The signal mask of the calling thread, by the system call. The functions of the C library take the signal
// that cancels threads out of every set, so it would come through, and cancel a thread that has just disabled
// cancellation (glibc 2.36).
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ovni::writer {

inline constexpr size_t kernel_sigset_bytes = 8;

// The signal that cancels threads: the first that the C library keeps to itself.
inline constexpr int cancel_signal = 32;

// As pthread_sigmask(), but `before` may contain the signal that cancels threads.
inline void change_signals(int how, const sigset_t& set, sigset_t* before = nullptr) noexcept {
    if (before) sigemptyset(before);
    syscall(SYS_rt_sigprocmask, how, &set, before, kernel_sigset_bytes);
}

// All signals, including the one that cancels threads, except for SIGTRAP: the system ends a process that
// hits a site in its code while it blocks SIGTRAP.
inline sigset_t all_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGTRAP);
    reinterpret_cast<unsigned long&>(all) |= 1ul << (cancel_signal - 1);
    return all;
}

}  // namespace ovni::writer
