// measure FILE COMMAND...: runs a command and appends one line of JSON to FILE: what it took. For benchmarks,
// also in front of every rank of an MPI program. Small, so that the memory of the one who measures does not
// count: a process starts with the peak of the one that it was forked from.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>

namespace {

double now() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds(const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

// Signals to a process group are the command's business: mpirun has to end its ranks.
constexpr int ending[] = {SIGINT, SIGTERM, SIGHUP};

[[noreturn]] void run(char** command) {
    for (int signal : ending) std::signal(signal, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::execvp(command[0], command);
    std::perror(command[0]);
    ::_exit(127);
}

bool append(const char* path, double wall, const rusage& usage, int status) {
    char line[256];
    int length =
        std::snprintf(line, sizeof line,
                      "{\"wall\": %.6f, \"user\": %.6f, \"sys\": %.6f, \"peak_kib\": %ld, "
                      "\"status\": %d}\n",
                      wall, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss, status);
    int fd = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    return fd >= 0 && ::write(fd, line, static_cast<size_t>(length)) == length && ::close(fd) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: measure FILE COMMAND...\n", stderr);
        return 2;
    }
    for (int signal : ending) std::signal(signal, SIG_IGN);
    double start = now();
    pid_t child = ::fork();
    if (child == 0) run(argv + 2);
    int ended = 0;
    rusage usage{};
    if (child < 0 || ::wait4(child, &ended, 0, &usage) != child) {
        std::perror("measure");
        return 1;
    }
    double wall = now() - start;
    int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    if (!append(argv[1], wall, usage, status)) {
        std::perror(argv[1]);
        return 1;
    }
    return status;
}
