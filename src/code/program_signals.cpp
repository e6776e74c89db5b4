#include "code/program_signals.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "code/real_function.hpp"

namespace ovni::code {

namespace {

constinit std::atomic<bool> is_taken{false};
struct sigaction of_program;  // for SIGTRAP, as the program set it last

// A short copy: handlers may read it while another thread writes.
constinit std::atomic_flag lock = ATOMIC_FLAG_INIT;
struct Guard {
    Guard() noexcept {
        while (lock.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Guard() { lock.clear(std::memory_order_release); }
};

sigset_t without_trap(const sigset_t& set) noexcept {
    sigset_t copy = set;
    sigdelset(&copy, SIGTRAP);
    return copy;
}

// A mask that blocks signals for the time of a call.
class Mask {
 public:
    explicit Mask(const sigset_t* set) noexcept : is_given_(set != nullptr) {
        if (is_given_) set_ = without_trap(*set);
    }
    const sigset_t* get() const noexcept { return is_given_ ? &set_ : nullptr; }

 private:
    bool is_given_;
    sigset_t set_{};
};

sighandler_t set_trap(sighandler_t handler, int flags) noexcept {
    struct sigaction wanted {
    }, before{};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    if (handler == SIG_ERR) errno = EINVAL;
    return handler != SIG_ERR && ::sigaction(SIGTRAP, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

bool is_sent_by_process(const siginfo_t& info) noexcept {
    return info.si_code <= 0;
}

}  // namespace

bool take_over_traps(TrapHandler handler) noexcept {
    struct sigaction ours {};
    ours.sa_sigaction = handler;
    // A site may be hit while another one is reported, but not by a handler of the program.
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    sigfillset(&ours.sa_mask);
    sigdelset(&ours.sa_mask, SIGTRAP);
    if (OVNI_REAL(sigaction)(SIGTRAP, &ours, &of_program) != 0) return false;
    is_taken.store(true, std::memory_order_release);
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    return OVNI_REAL(pthread_sigmask)(SIG_UNBLOCK, &trap, nullptr) == 0;
}

void pass_trap_to_program(int signal, siginfo_t* info, void* context) noexcept {
    struct sigaction theirs;
    {
        Guard guard;
        theirs = of_program;
        if ((theirs.sa_flags & SA_RESETHAND) != 0) of_program.sa_handler = SIG_DFL;
    }
    const bool has_handler = theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN;
    if (!has_handler) {
        if (theirs.sa_handler == SIG_IGN && is_sent_by_process(*info)) return;
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;
        OVNI_REAL(sigaction)(SIGTRAP, &usual, nullptr);
        ::raise(SIGTRAP);
        return;
    }
    // Theirs runs with the mask that it would have without us; the C library gives it back behind this
    // handler.
    const sigset_t usual = static_cast<const ucontext_t*>(context)->uc_sigmask,
                   theirs_alone = without_trap(theirs.sa_mask);
    sigset_t mask;
    sigorset(&mask, &usual, &theirs_alone);
    OVNI_REAL(pthread_sigmask)(SIG_SETMASK, &mask, nullptr);
    if ((theirs.sa_flags & SA_SIGINFO) != 0)
        theirs.sa_sigaction(signal, info, context);
    else
        theirs.sa_handler(signal);
}

}  // namespace ovni::code

using namespace ovni::code;

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int signal, const struct sigaction* act, struct sigaction* oldact) noexcept {
    if (signal == SIGTRAP && is_taken.load(std::memory_order_acquire)) {
        Guard guard;
        const struct sigaction before = of_program;
        if (act != nullptr) of_program = *act;
        if (oldact != nullptr) *oldact = before;
        return 0;
    }
    if (act == nullptr) return OVNI_REAL(sigaction)(signal, act, oldact);
    struct sigaction changed = *act;
    changed.sa_mask = without_trap(act->sa_mask);
    return OVNI_REAL(sigaction)(signal, &changed, oldact);
}

int __sigaction(int signal, const struct sigaction* act, struct sigaction* oldact) noexcept {
    return sigaction(signal, act, oldact);
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
    return number == SIGTRAP ? set_trap(handler, SA_RESTART) : OVNI_REAL(signal)(number, handler);
}

sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
    return signal(number, handler);
}

sighandler_t ssignal(int number, sighandler_t handler) noexcept {
    return signal(number, handler);
}

sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
    constexpr int flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    return number == SIGTRAP ? set_trap(handler, flags) : OVNI_REAL(__sysv_signal)(number, handler);
}

sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
    return __sysv_signal(number, handler);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return OVNI_REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : Mask(set).get(), before);
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return OVNI_REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : Mask(set).get(), before);
}

int sigsuspend(const sigset_t* set) {
    return OVNI_REAL(sigsuspend)(Mask(set).get());
}

int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* set) {
    return OVNI_REAL(ppoll)(fds, count, timeout, Mask(set).get());
}

int pselect(int count, fd_set* reading, fd_set* writing, fd_set* excepting, const timespec* timeout,
            const sigset_t* set) {
    return OVNI_REAL(pselect)(count, reading, writing, excepting, timeout, Mask(set).get());
}

int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* set) {
    return OVNI_REAL(epoll_pwait)(epoll, events, most, timeout, Mask(set).get());
}

}  // extern "C"
#pragma GCC visibility pop
