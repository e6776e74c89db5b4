#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "run/execute.hpp"
#include "run/launch.hpp"

namespace ovni::run {

namespace {

void await_end(const Fd& process) {
    pollfd ended{process.get(), POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
}

[[noreturn]] void host(pid_t program, Fd process, Fd started, Companion& companion) {
    ::setsid();
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    let_go_of_descriptors({process.get(), started.get()});
    companion.start(program);
    started = Fd();
    await_end(process);
    // A launcher that reads the program's stderr need not wait for us.
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    companion.finish(Ending{});
    ::_exit(0);
}

// A process between forks the host: the program may wait for any child, so it must know all of its children.
void fork_host(pid_t program, Fd process, Fd started, Companion& companion) {
    pid_t between = ::fork();
    if (between < 0) throw system_error("no process for it", "--detach");
    if (between > 0) {
        ::waitpid(between, nullptr, 0);
        return;
    }
    if (::fork() == 0) host(program, std::move(process), std::move(started), companion);
    ::_exit(0);
}

}  // namespace

int run_detached(const Launch& launch, Companion& companion) {
    companion.prepare();
    pid_t program = ::getpid();
    Fd process = above_stderr(Fd(static_cast<int>(::syscall(SYS_pidfd_open, program, 0))));
    if (!process) throw system_error("no descriptor of a process", "--detach");
    Pipe started = make_pipe();
    fork_host(program, std::move(process), std::move(started.write), companion);
    char byte;
    ssize_t end = ::read(started.read.get(), &byte, 1);
    if (end != 0) throw system_error("cannot be started", "--detach");
    return execute(launch.program);
}

}  // namespace ovni::run
