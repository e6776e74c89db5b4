#include "run/apart.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "run/execute.hpp"

namespace ovni::run {

bool try_apart(const std::function<void()>& work) {
    const pid_t between = ::fork();
    if (between < 0) return false;
    if (between > 0) {
        int status = 0;
        while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
        }
        return status == 0;
    }
    const pid_t apart = ::fork();
    if (apart == 0) {
        ::setsid();
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_SETMASK, &all, nullptr);
        // No exception leads back to what this was forked from.
        [&]() noexcept { work(); }();
    }
    ::_exit(apart < 0 ? 1 : 0);
}

Fd end_of(pid_t process) {
    return above_stderr(Fd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))));
}

void await(const Fd& end) {
    pollfd ended{end.get(), POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
}

}  // namespace ovni::run
