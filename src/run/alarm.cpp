#include "run/alarm.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

constexpr timespec between_looks{0, 10'000'000};

bool is_stopped_thread(const fs::path& directory) {
    std::ifstream file(directory / "stat");
    std::string text;
    std::getline(file, text);
    // The name before it may hold anything.
    size_t name_end = text.rfind(')');
    return name_end != text.npos && text.size() > name_end + 2 &&
           (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
}

// The first thread may have ended before the others.
bool is_stopped(pid_t program) {
    std::error_code fault;
    fs::directory_iterator threads("/proc/" + std::to_string(program) + "/task", fault);
    return std::ranges::any_of(threads, [](const auto& thread) { return is_stopped_thread(thread.path()); });
}

// Again and again: it may not have stopped yet.
[[noreturn]] void wake(pid_t sleeper, pid_t program) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setsid();
    ::close_range(0, ~0U, 0);
    for (; ::getppid() == sleeper; ::nanosleep(&between_looks, nullptr))
        if (!is_stopped(program)) ::kill(sleeper, SIGCONT);
    ::_exit(0);
}

}  // namespace

Alarm::Alarm(pid_t program) {
    if (::access("/proc/self/task", X_OK) != 0) return;
    pid_t sleeper = ::getpid(), child = ::fork();
    if (child == 0) wake(sleeper, program);
    process_ = std::max(child, 0);
}

Alarm::~Alarm() {
    if (!process_) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

}  // namespace ovni::run
