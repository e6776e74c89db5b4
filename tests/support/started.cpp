#include "tests/support/started.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/support/process.hpp"

namespace ovni::test {

namespace {

constexpr std::chrono::seconds patience(20);

[[noreturn]] void become_started(std::vector<char*>& argv, const std::function<void()>& before_exec) {
    end_job_with_test(argv.front());
    if (before_exec) before_exec();
    ::execvp(argv.front(), argv.data());
    ::_exit(127);
}

}  // namespace

Started::Started(std::vector<std::string> words, const std::function<void()>& before_exec, On on) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (on == On::pipes)
        start_on_pipes(argv, before_exec);
    else
        start_on_terminal(argv, before_exec);
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
}

Started::~Started() {
    if (!ended_) {
        send_to_group(SIGKILL);
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    close_input();
    if (output_ >= 0) ::close(output_);
}

void Started::start_on_pipes(std::vector<char*>& argv, const std::function<void()>& before_exec) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in[0], STDIN_FILENO);
        ::dup2(out[1], STDOUT_FILENO);
        ::setpgid(0, 0);
        become_started(argv, before_exec);
    }
    ::setpgid(pid_, pid_);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
}

void Started::start_on_terminal(std::vector<char*>& argv, const std::function<void()>& before_exec) {
    pid_ = ::forkpty(&output_, nullptr, nullptr, nullptr);
    if (pid_ == 0) become_started(argv, before_exec);
    ::fcntl(output_, F_SETFD, FD_CLOEXEC);
    input_ = ::fcntl(output_, F_DUPFD_CLOEXEC, 0);
}

void Started::send(int signal) const {
    ::kill(pid_, signal);
}

void Started::send_to_group(int signal) const {
    ::kill(-pid_, signal);
}

void Started::write(const std::string& text) const {
    if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw std::system_error(errno, std::generic_category(), "write");
}

void Started::close_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
}

void Started::hang_up() {
    close_input();
    ::close(output_);
    output_ = -1;
}

// False at the end of the output.
bool Started::read_more() {
    pollfd ready{output_, POLLIN, 0};
    int count = ::poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(patience).count()));
    if (count <= 0) throw std::runtime_error("nothing more is printed behind '" + unread_ + "'");
    char piece[4096];
    ssize_t size = ::read(output_, piece, sizeof piece);
    if (size <= 0) return false;
    unread_.append(piece, static_cast<size_t>(size));
    return true;
}

std::string Started::read_until(const std::string& text) {
    size_t at = 0;
    while ((at = unread_.find(text)) == std::string::npos)
        if (!read_more())
            throw std::runtime_error("the output ends without '" + text + "': '" + unread_ + "'");
    std::string result = unread_.substr(0, at + text.size());
    unread_.erase(0, result.size());
    return result;
}

std::string Started::line() {
    std::string result = read_until("\n");
    result.pop_back();
    if (result.ends_with('\r')) result.pop_back();
    return result;
}

std::string Started::rest() {
    while (read_more()) {
    }
    return std::exchange(unread_, {});
}

int Started::wait(int options) {
    auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        int status = 0;
        pid_t done = ::waitpid(pid_, &status, options | WNOHANG);
        if (done < 0) throw std::system_error(errno, std::generic_category(), "waitpid");
        if (done == pid_) {
            ended_ = WIFEXITED(status) || WIFSIGNALED(status);
            return status;
        }
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("it does not end or stop");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace ovni::test
