#include "code/cache/thread_wishes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "code/real_function.hpp"
#include "ovni/private.h"

namespace ovni::code {

namespace {

constexpr char wish_mark = 0;

// Numbers of threads that wait in the system.
class Waiting {
 public:
    void add(int thread) noexcept {
        for (std::atomic<int>& place : places_) {
            int free = 0;
            if (place.load() == thread || place.compare_exchange_strong(free, thread)) return;
        }
    }
    template <class IsDone>
    bool remove_if(IsDone is_done) noexcept {
        bool is_empty = true;
        for (std::atomic<int>& place : places_) {
            int thread = place.load();
            if (thread == 0) continue;
            if (is_done(thread)) place.compare_exchange_strong(thread, 0);
            is_empty = is_empty && place.load() == 0;
        }
        return is_empty;
    }

 private:
    std::array<std::atomic<int>, 4096> places_{};
};

constinit Waiting waiting;
constinit std::atomic<uint32_t> wish_count{0};
constinit std::atomic<int> watched_process{0};
constinit std::atomic<int> watching_thread{0};

void ask(int thread) noexcept {
    siginfo_t info{};
    info.si_signo = SIGTRAP;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    info.si_uid = ::getuid();
    info.si_value.sival_ptr = mark_of_wish();
    ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, SIGTRAP, &info);
}

enum class Doing : uint8_t { runs, waits, is_gone };

Doing what_does(int thread) noexcept {
    char path[64], what[16];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
    const auto file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) return errno == ENOENT ? Doing::is_gone : Doing::runs;
    const long size = ::syscall(SYS_read, file, what, sizeof what);
    const int error = errno;
    ::syscall(SYS_close, file);
    constexpr char running[] = "running";
    if (size < 0) return error == ESRCH ? Doing::is_gone : Doing::runs;
    return size >= 7 && memcmp(what, running, 7) == 0 ? Doing::runs : Doing::waits;
}

template <class See>
void for_each_other_thread(See see) noexcept {
    const long own = ::syscall(SYS_gettid), watching = watching_thread.load();
    const auto folder = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0) return;
    alignas(dirent64) char buffer[4096];
    for (long size; (size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
            at += entry->d_reclen;
            int thread = 0;
            for (const char* digit = entry->d_name; *digit >= '0' && *digit <= '9'; ++digit)
                thread = 10 * thread + (*digit - '0');
            if (thread != 0 && thread != own && thread != watching) see(thread);
        }
    ::syscall(SYS_close, folder);
}

// True if it was asked, or is gone.
bool ask_if_it_runs(int thread) noexcept {
    const Doing doing = what_does(thread);
    if (doing == Doing::runs) ask(thread);
    return doing != Doing::waits;
}

[[noreturn]] void* watch(void*) noexcept {
    ovni_private_begin_own_thread();
    watching_thread.store(static_cast<int>(::syscall(SYS_gettid)));
    ::syscall(SYS_futex, &watching_thread, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    ::pthread_setname_np(::pthread_self(), "ovni-counting");
    for (;;) {
        const uint32_t seen = wish_count.load();
        constexpr timespec moment{0, 1'000'000}, pause{0, 50'000'000};
        if (waiting.remove_if(ask_if_it_runs))
            ::syscall(SYS_futex, &wish_count, FUTEX_WAIT_PRIVATE, seen, &pause, nullptr, 0);
        else
            ::syscall(SYS_futex, &wish_count, FUTEX_WAIT_PRIVATE, seen, &moment, nullptr, 0);
        ovni_private_end_with_program();
    }
}

}  // namespace

void* mark_of_wish() noexcept {
    return const_cast<char*>(&wish_mark);
}

void watch_waiting_threads() noexcept {
    if (watched_process.exchange(::getpid()) == ::getpid()) return;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGTRAP);
    OVNI_REAL(pthread_sigmask)(SIG_SETMASK, &all, &before);
    pthread_t thread;
    watching_thread.store(0);
    if (OVNI_REAL(pthread_create)(&thread, nullptr, watch, nullptr) == 0) {
        constexpr timespec moment{0, 1'000'000};
        for (int waits = 0; waits < 1000 && watching_thread.load() == 0; ++waits)
            ::syscall(SYS_futex, &watching_thread, FUTEX_WAIT_PRIVATE, 0, &moment, nullptr, 0);
        ::pthread_detach(thread);
    }
    OVNI_REAL(pthread_sigmask)(SIG_SETMASK, &before, nullptr);
}

void ask_other_threads() noexcept {
    bool is_all = true;
    for_each_other_thread([&](int thread) {
        if (ask_if_it_runs(thread)) return;
        waiting.add(thread);
        is_all = false;
    });
    if (is_all) return;
    wish_count.fetch_add(1);
    ::syscall(SYS_futex, &wish_count, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace ovni::code
