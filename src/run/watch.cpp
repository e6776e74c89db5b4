#include "run/watch.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "run/alarm.hpp"

namespace ovni::run {

namespace {

sigset_t only(int signal) {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, signal);
    return set;
}

bool pending(int signal) {
    sigset_t set;
    ::sigpending(&set);
    return ::sigismember(&set, signal) == 1;
}

void let_through(int signal) {
    sigset_t set = only(signal);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Its sender, -1 where there is none.
pid_t take(int signal) {
    sigset_t set = only(signal);
    constexpr timespec at_once{};
    siginfo_t info{};
    return ::sigtimedwait(&set, &info, &at_once) == signal ? info.si_pid : -1;
}

}  // namespace

Ending Watch::until_end() {
    sigset_t all;
    ::sigfillset(&all);
    for (;;) {
        take_changes();
        if (state_ == Program::ended) return ending_;
        if (state_ == Program::newly_stopped) mirror_stop();
        siginfo_t signal{};
        int number = ::sigwaitinfo(&all, &signal);
        if (number < 0 || number == SIGCHLD) continue;
        if (number == SIGCONT)
            go_on();
        else
            pass_on(signal);
    }
}

// The state of the program decides, not the witness: a SIGCONT passed on late would undo the stop that came
// next. A SIGCONT to the group has already continued the program.
void Watch::go_on() {
    take_changes();
    if (state_ != Program::newly_stopped && state_ != Program::stopped) return;
    state_ = Program::stopped;
    ::kill(program_, SIGCONT);
}

// Children that are not ours to know, left by a launcher that became ovnirun or orphaned to process 1, are
// waited for as well.
void Watch::take_changes() {
    int status = 0;
    for (pid_t child; (child = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0;) {
        if (child == program_)
            take_status(status);
        else if (WIFEXITED(status) || WIFSIGNALED(status))
            witness_.child_ended(child);
        if (state_ == Program::ended) return;
    }
}

void Watch::take_status(int status) {
    if (WIFSTOPPED(status)) {
        state_ = Program::newly_stopped;
        stop_signal_ = WSTOPSIG(status);
    } else if (WIFCONTINUED(status)) {
        state_ = Program::runs;
    } else {
        state_ = Program::ended;
        ending_ = WIFSIGNALED(status) ? Ending{Ending::By::signal, WTERMSIG(status)}
                                      : Ending{Ending::By::exit, WEXITSTATUS(status)};
    }
}

// A stop discards a continuation that came before it, so that must not be overlooked: ovnirun would stay
// stopped next to a running program.
void Watch::mirror_stop() {
    state_ = Program::stopped;
    companion_.pause();
    if (!pending(SIGCONT) && !continued_since()) stop_until_continued();
    companion_.resume();
}

// The alarm's continuation is for us alone, any other for the program, too.
void Watch::stop_until_continued() {
    pid_t alarm_is = 0;
    {
        Alarm alarm(program_);
        alarm_is = alarm.sender();
        stop();
    }
    pid_t by = take(SIGCONT);
    if (by >= 0 && by != alarm_is) go_on();
}

void Watch::stop() {
    if (stop_signal_ == SIGSTOP) {
        ::raise(SIGSTOP);
        return;
    }
    ::signal(stop_signal_, SIG_DFL);
    ::raise(stop_signal_);
    if (continued_since()) {
        take(stop_signal_);
        return;
    }
    let_through(stop_signal_);
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

bool Watch::continued_since() const {
    siginfo_t change{};
    return ::waitid(P_PID, static_cast<id_t>(program_), &change, WCONTINUED | WNOHANG | WNOWAIT) == 0 &&
           change.si_pid == program_;
}

void Watch::pass_on(const siginfo_t& signal) {
    if (witness_.received(signal)) return;
    // A signal of the kernel to ovnirun alone is about ovnirun, except the end of a terminal's session.
    if (signal.si_code > 0 && signal.si_signo != SIGHUP) return;
    // The parent that the program means is the one it would have without ovnirun.
    pid_t to = signal.si_pid == program_ ? ::getppid() : program_;
    if (to <= 0) return;
    if (signal.si_code == SI_QUEUE)
        ::sigqueue(to, signal.si_signo, signal.si_value);
    else
        ::kill(to, signal.si_signo);
}

int end_as(const Ending& ending) {
    if (ending.by != Ending::By::signal) return ending.code;
    // The program has left a core dump, if any.
    ::prctl(PR_SET_DUMPABLE, 0);
    ::signal(ending.code, SIG_DFL);
    ::raise(ending.code);
    let_through(ending.code);
    // Process 1 of a container does not die by a signal of its own.
    return 128 + ending.code;
}

}  // namespace ovni::run
