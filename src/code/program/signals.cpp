#include "code/program/signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "code/real_function.hpp"

namespace ovni::code {

namespace {

// A signal that is ours, and the program's action for it, as it was set last.
struct OwnSignal {
    int number;
    std::atomic<bool> is_taken{false};
    struct sigaction of_program {};
};
constinit OwnSignal own_signals[] = {{.number = SIGTRAP}, {.number = SIGILL}};

OwnSignal* own_signal(int number) noexcept {
    for (OwnSignal& own : own_signals)
        if (own.number == number && own.is_taken.load(std::memory_order_acquire)) return &own;
    return nullptr;
}

// A short copy: handlers may read it while another thread writes.
constinit std::atomic_flag lock = ATOMIC_FLAG_INIT;
struct Guard {
    Guard() noexcept {
        while (lock.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Guard() { lock.clear(std::memory_order_release); }
};

sigset_t without_own(const sigset_t& set) noexcept {
    sigset_t copy = set;
    sigdelset(&copy, SIGTRAP);
    if (own_signal(SIGILL) != nullptr) sigdelset(&copy, SIGILL);
    return copy;
}

// The system never blocks SIGTRAP. Where the program does, held_trap is blocked in its place, so the system
// knows of it wherever it keeps masks: in frames of signals, in jump buffers, in new threads.
sigset_t for_program(sigset_t set) noexcept {
    if (sigismember(&set, held_trap) == 1) sigaddset(&set, SIGTRAP);
    return set;
}

sigset_t for_system(const sigset_t& set) noexcept {
    sigset_t copy = without_own(set);
    if (sigismember(&set, SIGTRAP) == 1) sigaddset(&copy, held_trap);
    return copy;
}

bool is_held(const sigset_t& blocked) noexcept {
    return sigismember(&blocked, held_trap) == 1;
}

constexpr int signal_of_cancellation = 32;

// Our handlers hold these back. A thread that is cancelled there would keep locks, and sigfillset() leaves
// that signal out.
sigset_t all_but_traps() noexcept {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGTRAP);
    sigdelset(&all, SIGILL);
    reinterpret_cast<unsigned long&>(all) |= 1ul << (signal_of_cancellation - 1);
    return all;
}

// It comes again, under the other number, when the program lets it in.
bool hold(siginfo_t info) noexcept {
    return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), held_trap, &info) == 0;
}

template <class Change>
int change_mask(int how, const sigset_t* set, sigset_t* before, Change change) noexcept {
    const sigset_t wanted = set == nullptr ? sigset_t{} : for_system(*set);
    const int result = change(how, set == nullptr ? nullptr : &wanted, before);
    if (result == 0 && before != nullptr) *before = for_program(*before);
    return result;
}

// A mask that blocks signals for the time of a call.
class Mask {
 public:
    explicit Mask(const sigset_t* set) noexcept : is_given_(set != nullptr) {
        if (is_given_) set_ = for_system(*set);
    }
    const sigset_t* get() const noexcept { return is_given_ ? &set_ : nullptr; }

 private:
    bool is_given_;
    sigset_t set_{};
};

sighandler_t set_own(int number, sighandler_t handler, int flags) noexcept {
    struct sigaction wanted {
    }, before{};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    if (handler == SIG_ERR) errno = EINVAL;
    return handler != SIG_ERR && ::sigaction(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

// The handlers that the program set, while the system knows ours.
constinit std::atomic<uintptr_t> own_entry{0};
constinit std::array<std::atomic<uintptr_t>, NSIG> handlers{};

bool is_function(uintptr_t handler) noexcept {
    return handler != reinterpret_cast<uintptr_t>(SIG_DFL) &&
           handler != reinterpret_cast<uintptr_t>(SIG_IGN) && handler != reinterpret_cast<uintptr_t>(SIG_ERR);
}

// A handler on its way to the system, and what the system had on its way back.
class Handler {
 public:
    Handler(int signal, sighandler_t wanted) noexcept
        : is_followed_(own_entry.load(std::memory_order_acquire) != 0 && signal > 0 && signal < NSIG),
          wanted_(reinterpret_cast<uintptr_t>(wanted)) {
        if (!is_followed_) return;
        before_ = handlers[static_cast<size_t>(signal)].load();
        if (!is_function(wanted_)) return;
        handlers[static_cast<size_t>(signal)].store(wanted_);
        wanted_ = own_entry.load();
    }
    sighandler_t for_system() const noexcept { return reinterpret_cast<sighandler_t>(wanted_); }
    sighandler_t for_program(sighandler_t before) const noexcept {
        const bool is_ours = is_followed_ && reinterpret_cast<uintptr_t>(before) == own_entry.load();
        return is_ours ? reinterpret_cast<sighandler_t>(before_) : before;
    }

 private:
    bool is_followed_;
    uintptr_t wanted_, before_ = 0;
};

bool is_sent_by_process(const siginfo_t& info) noexcept {
    return info.si_code <= 0;
}

}  // namespace

bool take_over(int signal, TrapHandler handler) noexcept {
    OwnSignal& own = *std::ranges::find(own_signals, signal, &OwnSignal::number);
    struct sigaction ours {};
    ours.sa_sigaction = handler;
    // A site may be hit while another one is reported, but not by a handler of the program.
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    ours.sa_mask = all_but_traps();
    if (OVNI_REAL(sigaction)(signal, &ours, &own.of_program) != 0) return false;
    own.is_taken.store(true, std::memory_order_release);
    sigset_t open;
    sigemptyset(&open);
    sigaddset(&open, signal);
    return OVNI_REAL(pthread_sigmask)(SIG_UNBLOCK, &open, nullptr) == 0;
}

void take_over_held_traps(TrapHandler handler) noexcept {
    sigset_t mask;
    OVNI_REAL(pthread_sigmask)(SIG_BLOCK, nullptr, &mask);
    mask = for_system(mask);
    OVNI_REAL(pthread_sigmask)(SIG_BLOCK, &mask, nullptr);
    struct sigaction ours {};
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    ours.sa_mask = all_but_traps();
    OVNI_REAL(sigaction)(held_trap, &ours, nullptr);
}

void take_over_handlers(TrapHandler entry) noexcept {
    own_entry.store(reinterpret_cast<uintptr_t>(entry), std::memory_order_release);
}

namespace {

// As the system has it.
struct KernelAction {
    uintptr_t handler;
    uint64_t flags;
    uintptr_t restorer;
    uint64_t mask;
};

[[noreturn]] void* wait_for_cancellation(void*) {
    for (;;) ::pause();
}

// The C library sets the handler of this signal when a thread is cancelled first, and not by sigaction().
void take_over_cancellation() noexcept {
    static std::atomic<bool> is_done{false};
    if (own_entry.load() == 0 || is_done.exchange(true)) return;
    pthread_t thread;
    if (OVNI_REAL(pthread_create)(&thread, nullptr, wait_for_cancellation, nullptr) != 0) return;
    OVNI_REAL(pthread_cancel)(thread);
    ::pthread_join(thread, nullptr);
    KernelAction action{};
    if (::syscall(SYS_rt_sigaction, signal_of_cancellation, nullptr, &action, sizeof action.mask) != 0)
        return;
    if (!is_function(action.handler)) return;
    handlers[signal_of_cancellation].store(action.handler);
    action.handler = own_entry.load();
    ::syscall(SYS_rt_sigaction, signal_of_cancellation, &action, nullptr, sizeof action.mask);
}

}  // namespace

uintptr_t handler_of_program(int signal) noexcept {
    return handlers[static_cast<size_t>(signal)].load();
}

void pass_trap_to_program(int signal, siginfo_t* info, void* context) noexcept {
    const bool is_blocked = is_held(static_cast<const ucontext_t*>(context)->uc_sigmask);
    if (signal == SIGTRAP && is_sent_by_process(*info) && is_blocked && hold(*info)) return;
    info->si_signo = signal;
    struct sigaction theirs;
    {
        Guard guard;
        struct sigaction& of_program = own_signal(signal)->of_program;
        theirs = of_program;
        if ((theirs.sa_flags & SA_RESETHAND) != 0) of_program.sa_handler = SIG_DFL;
    }
    const bool has_handler = theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN;
    if (!has_handler) {
        if (theirs.sa_handler == SIG_IGN && is_sent_by_process(*info)) return;
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;
        OVNI_REAL(sigaction)(signal, &usual, nullptr);
        // A bad instruction comes again when the handler returns.
        if (signal != SIGILL || is_sent_by_process(*info)) ::raise(signal);
        return;
    }
    // Theirs runs with the mask that it would have without us; the C library gives it back behind this
    // handler.
    const sigset_t usual = static_cast<const ucontext_t*>(context)->uc_sigmask,
                   theirs_alone = for_system(theirs.sa_mask);
    sigset_t mask;
    sigorset(&mask, &usual, &theirs_alone);
    if (signal == SIGTRAP && (theirs.sa_flags & SA_NODEFER) == 0) sigaddset(&mask, held_trap);
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
    if (OwnSignal* own = own_signal(signal)) {
        Guard guard;
        const struct sigaction before = own->of_program;
        if (act != nullptr) own->of_program = *act;
        if (oldact != nullptr) *oldact = before;
        return 0;
    }
    Handler handler(signal, act == nullptr ? SIG_ERR : act->sa_handler);
    struct sigaction changed {};
    if (act != nullptr) {
        changed = *act;
        changed.sa_mask = for_system(act->sa_mask);
        changed.sa_handler = handler.for_system();
    }
    const int result = OVNI_REAL(sigaction)(signal, act == nullptr ? nullptr : &changed, oldact);
    if (result == 0 && oldact != nullptr) {
        oldact->sa_handler = handler.for_program(oldact->sa_handler);
        oldact->sa_mask = for_program(oldact->sa_mask);
    }
    return result;
}

int __sigaction(int signal, const struct sigaction* act, struct sigaction* oldact) noexcept {
    return sigaction(signal, act, oldact);
}

sighandler_t signal(int number, sighandler_t wanted) noexcept {
    if (own_signal(number) != nullptr) return set_own(number, wanted, SA_RESTART);
    Handler handler(number, wanted);
    return handler.for_program(OVNI_REAL(signal)(number, handler.for_system()));
}

sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
    return signal(number, handler);
}

sighandler_t ssignal(int number, sighandler_t handler) noexcept {
    return signal(number, handler);
}

sighandler_t __sysv_signal(int number, sighandler_t wanted) noexcept {
    constexpr int flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    if (own_signal(number) != nullptr) return set_own(number, wanted, flags);
    Handler handler(number, wanted);
    return handler.for_program(OVNI_REAL(__sysv_signal)(number, handler.for_system()));
}

sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
    return __sysv_signal(number, handler);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return change_mask(how, set, before, OVNI_REAL(pthread_sigmask));
}

int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* set) {
    return OVNI_REAL(pthread_attr_setsigmask_np)(attributes, Mask(set).get());
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return change_mask(how, set, before, OVNI_REAL(sigprocmask));
}

int sigsuspend(const sigset_t* set) {
    return OVNI_REAL(sigsuspend)(Mask(set).get());
}

int sigpending(sigset_t* set) noexcept {
    const int result = OVNI_REAL(sigpending)(set);
    if (result == 0) *set = for_program(*set);
    return result;
}

int pthread_cancel(pthread_t thread) {
    take_over_cancellation();
    return OVNI_REAL(pthread_cancel)(thread);
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
