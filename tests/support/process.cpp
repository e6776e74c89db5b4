#include "tests/support/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& environment,
                         const std::string& out, const std::string& err) {
    end_job_with_test(words.front());
    for (auto [path, fd] : {std::pair(&out, STDOUT_FILENO), std::pair(&err, STDERR_FILENO)}) {
        int file = ::open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || ::dup2(file, fd) < 0) ::_exit(127);
    }
    for (char* entry : environment) ::putenv(entry);
    ::execvp(words.front(), words.data());
    ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> result;
    result.reserve(words.size() + 1);
    for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
    return result;
}

int wait_for(pid_t child, int seconds) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    for (auto pause = std::chrono::microseconds(200);;
         pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
        int status = 0;
        pid_t done = ::waitpid(child, &status, WNOHANG);
        if (done < 0) throw std::system_error(errno, std::generic_category(), "waitpid");
        if (done == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (std::chrono::steady_clock::now() > deadline) ::kill(child, SIGKILL);
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

Finished run(const std::vector<std::string>& words, const std::vector<std::string>& environment,
             int seconds) {
    TemporaryDirectory directory;
    std::string out = directory.path() / "out", err = directory.path() / "err";
    std::vector<char*> argv = pointers(words), added = pointers(environment);
    argv.push_back(nullptr);
    pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) become(argv, added, out, err);
    int status = wait_for(child, seconds);
    return {status, content(out), content(err)};
}

void end_job_with_test(const char* program) {
    const std::string name = std::filesystem::path(program).filename();
    if (name.starts_with("mpirun") || name.starts_with("mpiexec")) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

std::string program(const std::string& name) {
    return std::string(OVNI_PROGRAMS) + "/" + name;
}

}  // namespace ovni::test
