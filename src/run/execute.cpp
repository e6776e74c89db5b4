#include "run/execute.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace ovni::run {

namespace {

constexpr int not_found = 127;
constexpr int not_executable = 126;

}  // namespace

int execute(char** program) {
    ::execvp(program[0], program);
    int cause = errno;
    std::fputs(fmt::format("ovnirun: {}: {}\n", program[0], std::strerror(cause)).c_str(), stderr);
    return cause == ENOENT || cause == ENOTDIR ? not_found : not_executable;
}

void let_go_of_descriptors(std::initializer_list<int> keep) {
    std::vector<int> kept(keep);
    std::sort(kept.begin(), kept.end());
    unsigned from = STDERR_FILENO + 1;
    for (int fd : kept) {
        if (fd <= STDERR_FILENO) continue;
        if (static_cast<unsigned>(fd) > from) ::close_range(from, static_cast<unsigned>(fd) - 1, 0);
        from = static_cast<unsigned>(fd) + 1;
    }
    ::close_range(from, ~0U, 0);
    Fd null = above_stderr(Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)));
    for (int fd : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(null.get(), fd);
    if (::fcntl(STDERR_FILENO, F_GETFD) < 0) ::dup2(null.get(), STDERR_FILENO);
}

Fd above_stderr(Fd fd) {
    return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Pipe make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("no pipe", "ovnirun");
    Fd read(ends[0]), write(ends[1]);
    return {above_stderr(std::move(read)), above_stderr(std::move(write))};
}

}  // namespace ovni::run
