#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "run/apart.hpp"
#include "run/execute.hpp"
#include "run/launch.hpp"

namespace ovni::run {

namespace {

// Until its parent takes it, the kernel shows how it ended: the last number of its line, as waitpid() has it.
Ending ending_of(pid_t program) {
    const std::string path = "/proc/" + std::to_string(program) + "/stat";
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char text[1024];
    const ssize_t size = ::read(file.get(), text, sizeof text - 1);
    if (size <= 0) return {};
    text[size] = '\0';
    const std::string_view facts(text, static_cast<size_t>(size));
    const size_t last = facts.find_last_of(' ');
    if (facts.rfind(") Z ") == facts.npos) return {};
    const int status = std::atoi(text + last);
    if (WIFSIGNALED(status)) return {Ending::By::signal, WTERMSIG(status)};
    return WIFEXITED(status) ? Ending{Ending::By::exit, WEXITSTATUS(status)} : Ending{};
}

void host(pid_t program, const Fd& end, Fd& started, Companion& companion) {
    let_go_of_descriptors({end.get(), started.get()});
    companion.start(program);
    started = Fd();
    await(end);
    const Ending ending = ending_of(program);
    // A launcher that reads the program's stderr need not wait for us.
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    companion.finish(ending);
}

}  // namespace

int run_detached(const Launch& launch, Companion& companion) {
    companion.prepare();
    pid_t program = ::getpid();
    const Fd end = end_of(program);
    if (!end) throw system_error("no descriptor of a process", "--detach");
    Pipe started = make_pipe();
    if (!try_apart([&] { host(program, end, started.write, companion); }))
        throw system_error("no process for it", "--detach");
    started.write = Fd();
    char byte;
    const ssize_t size = ::read(started.read.get(), &byte, 1);
    if (size != 0) throw system_error("cannot be started", "--detach");
    return execute(launch.program);
}

}  // namespace ovni::run
