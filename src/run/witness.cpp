#include "run/witness.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "run/execute.hpp"

namespace ovni::run {

namespace {

// A signal to a group reaches one process after the other.
constexpr timespec patience{0, 10'000'000};
constexpr timeval answer_limit{0, 300'000};
constexpr int answer_tries = 20;

struct Testimony {
    int code = 0;
    pid_t sender = -1;
};

Testimony testimony_of(int signal) {
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    siginfo_t info{};
    if (::sigtimedwait(&one, &info, &patience) != signal) return {};
    return {info.si_code, info.si_pid};
}

[[noreturn]] void testify(int channel, char** words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, "ovni-witness");
    for (char** word = words; *word; ++word) std::memset(*word, 0, std::strlen(*word));
    ::close(STDERR_FILENO);
    let_go_of_descriptors({channel});
    for (int signal = 0; ::recv(channel, &signal, sizeof signal, 0) == sizeof signal;) {
        Testimony testimony = testimony_of(signal);
        ::send(channel, &testimony, sizeof testimony, MSG_NOSIGNAL);
    }
    ::_exit(0);
}

}  // namespace

GroupWitness::GroupWitness(char** words) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    Fd ours = above_stderr(Fd(ends[0])), its = above_stderr(Fd(ends[1]));
    pid_t child = ::fork();
    if (child == 0) testify(its.get(), words);
    if (child < 0) return;
    ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &answer_limit, sizeof answer_limit);
    process_ = child;
    channel_ = std::move(ours);
}

GroupWitness::~GroupWitness() {
    if (!process_) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

bool GroupWitness::received(const siginfo_t& signal) {
    if (::send(channel_.get(), &signal.si_signo, sizeof signal.si_signo, MSG_NOSIGNAL) < 0) return false;
    Testimony testimony;
    ssize_t size = -1;
    for (int tries = 0; size < 0 && tries < answer_tries; ++tries) {
        size = ::recv(channel_.get(), &testimony, sizeof testimony, 0);
        // It was stopped with the group, and only ovnirun has been continued.
        if (size < 0 && errno == EAGAIN && process_) ::kill(process_, SIGCONT);
    }
    // A late answer would be taken for the next one's.
    if (size != sizeof testimony) channel_ = Fd();
    return testimony.sender == signal.si_pid && testimony.code == signal.si_code;
}

void GroupWitness::child_ended(pid_t child) {
    if (child == process_) process_ = 0;
}

}  // namespace ovni::run
