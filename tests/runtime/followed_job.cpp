#include "tests/runtime/followed_job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

// The argument that names the file.
enum class By : uint8_t { path, path_at, descriptor };

struct Call {
    long number;
    CallKind kind;
    By by;
    size_t argument;
};

// Old calls without a directory are not on all machines.
constexpr Call calls[] = {
#ifdef SYS_open
    {SYS_open, CallKind::open, By::path, 0},
    {SYS_mkdir, CallKind::open, By::path, 0},
    {SYS_rename, CallKind::rename, By::path, 0},
    {SYS_unlink, CallKind::remove, By::path, 0},
    {SYS_rmdir, CallKind::remove, By::path, 0},
#endif
    {SYS_openat, CallKind::open, By::path_at, 1},
    {SYS_mkdirat, CallKind::open, By::path_at, 1},
    {SYS_write, CallKind::write, By::descriptor, 0},
    {SYS_pwrite64, CallKind::write, By::descriptor, 0},
    {SYS_writev, CallKind::write, By::descriptor, 0},
    {SYS_pwritev, CallKind::write, By::descriptor, 0},
    {SYS_ftruncate, CallKind::resize, By::descriptor, 0},
    {SYS_fallocate, CallKind::resize, By::descriptor, 0},
    {SYS_mmap, CallKind::map, By::descriptor, 4},
    {SYS_renameat, CallKind::rename, By::path_at, 1},
    {SYS_renameat2, CallKind::rename, By::path_at, 1},
    {SYS_unlinkat, CallKind::remove, By::path_at, 1},
};

const Call* find(uint64_t number) {
    for (const Call& call : calls)
        if (static_cast<uint64_t>(call.number) == number) return &call;
    return nullptr;
}

std::string link_of(const std::string& path) {
    std::error_code none;
    return fs::read_symlink(path, none);
}

std::string proc(pid_t thread, const std::string& name) {
    return "/proc/" + std::to_string(thread) + "/" + name;
}

std::string descriptor_of(pid_t thread, int fd) {
    return link_of(fd == AT_FDCWD ? proc(thread, "cwd") : proc(thread, "fd/" + std::to_string(fd)));
}

std::string text_of(pid_t thread, uint64_t address) {
    std::string text;
    for (char c = 1; text.size() < PATH_MAX; text += c) {
        iovec here{&c, 1}, there{reinterpret_cast<void*>(address + text.size()), 1};
        if (process_vm_readv(thread, &here, 1, &there, 1, 0) != 1 || c == '\0') break;
    }
    return text;
}

std::string file_of(pid_t thread, const Call& call, const uint64_t* arguments) {
    if (call.by == By::descriptor) return descriptor_of(thread, static_cast<int>(arguments[call.argument]));
    std::string path = text_of(thread, arguments[call.argument]);
    if (path.starts_with("/")) return path;
    const int fd = call.by == By::path ? AT_FDCWD : static_cast<int>(arguments[call.argument - 1]);
    return descriptor_of(thread, fd) + "/" + path;
}

pid_t process_of(pid_t thread) {
    std::ifstream status(proc(thread, "status"));
    for (std::string word; status >> word;)
        if (word == "Tgid:") {
            pid_t process = 0;
            status >> process;
            return process;
        }
    return 0;
}

}  // namespace

FollowedJob::Result FollowedJob::run(const std::function<void()>& body, const Victim& victim,
                                     const Choice& choice) {
    FollowedJob job(victim, choice);
    if (!job.start(body)) return {};
    job.follow();
    return {job.was_killed_ ? End::killed : End::in_order, job.file_};
}

// The child begins when it is followed.
bool FollowedJob::start(const std::function<void()>& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    first_ = fork();
    if (first_ == 0) {
        char go = 0;
        close(ends[1]);
        if (read(ends[0], &go, 1) == 1) body();
        _exit(127);
    }
    constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                             PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    const bool is_followed = ptrace(PTRACE_SEIZE, first_, nullptr, options) == 0 &&
                             ptrace(PTRACE_INTERRUPT, first_, nullptr, nullptr) == 0 &&
                             write(ends[1], "g", 1) == 1;
    close(ends[0]);
    close(ends[1]);
    if (!is_followed) {
        kill(first_, SIGKILL);
        waitpid(first_, nullptr, 0);
    }
    return is_followed;
}

void FollowedJob::follow() {
    for (;;) {
        int status = 0;
        const pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno != EINTR) return;
        if (thread > 0 && WIFSTOPPED(status)) see(thread, status);
    }
}

void FollowedJob::see(pid_t thread, int status) {
    constexpr int of_system_call = SIGTRAP | 0x80;
    const int event = status >> 16, signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_EXEC) in_victim_.clear();
    if (!was_killed_ && signal == of_system_call && is_in_victim(thread)) see_call(thread);
    // A process that is stopped stays so.
    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);
        return;
    }
    const bool is_delivered = event == 0 && signal != of_system_call;
    // All go on without us once the victim is dead.
    ptrace(was_killed_ ? PTRACE_CONT : PTRACE_SYSCALL, thread, nullptr, is_delivered ? signal : 0);
}

// A child that has not executed its program yet is still as its parent.
bool FollowedJob::is_in_victim(pid_t thread) {
    auto [known, is_new] = in_victim_.try_emplace(thread, false);
    if (is_new)
        known->second = fs::path(link_of(proc(thread, "exe"))).filename() == victim_.program &&
                        (process_of(thread) == first_) == victim_.is_first;
    return known->second;
}

void FollowedJob::see_call(pid_t thread) {
    struct __ptrace_syscall_info info {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
    const bool enters = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (enters && at_call_ == 0 && is_counted(thread, info.entry.nr, info.entry.args) && --left_ == 0)
        at_call_ = thread;
    if (thread != at_call_ || enters != (choice_.moment == CallMoment::before)) return;
    was_killed_ = true;
    kill(process_of(thread), SIGKILL);
}

bool FollowedJob::is_counted(pid_t thread, uint64_t number, const uint64_t* arguments) {
    const Call* call = find(number);
    if (!call || call->kind != choice_.kind) return false;
    const std::string file = file_of(thread, *call, arguments);
    if (!file.starts_with(choice_.directory.string())) return false;
    file_ = file;
    return true;
}

}  // namespace ovni::test
