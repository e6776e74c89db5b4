#include "run/inherited.hpp"

#include <sys/prctl.h>

namespace ovni::run {

namespace {

constexpr std::array<__itimer_which_t, 3> which = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

}  // namespace

Inherited::Inherited() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &mask_);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &child_action_);
    for (size_t i = 0; i < timers_.size(); ++i) {
        itimerval off{};
        ::setitimer(which[i], &off, &timers_[i]);
    }
    ::prctl(PR_GET_PDEATHSIG, &parent_death_signal_);
}

void Inherited::restore() const {
    ::prctl(PR_SET_PDEATHSIG, parent_death_signal_);
    for (size_t i = 0; i < timers_.size(); ++i) ::setitimer(which[i], &timers_[i], nullptr);
    ::sigaction(SIGCHLD, &child_action_, nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace ovni::run
