// Work that leaves a tracer little room. The first word names it.
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

extern "C" [[gnu::noinline]] long hot(long number) {
    asm volatile("");
    return number * 3;
}

void forks() {
    int status = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(3);
        waitpid(child, &status, 0);
    }
    std::printf("%d\n", status);
}

[[gnu::noinline]] int status_of_child(bool becomes_another) {
    const pid_t child = vfork();
    if (child == 0 && !becomes_another) _exit(4);
    if (child == 0) execl("/bin/true", "true", nullptr), _exit(9);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

void vforks() {
    long sum = 0;
    for (int i = 0; i < 10; ++i) sum += hot(status_of_child(i % 2 == 0));
    std::printf("%ld %d\n", sum, std::system("exit 3"));
}

void creates() {
    for (int i = 0; i < 5; ++i) {
        pthread_t thread{};
        pthread_create(
            &thread, nullptr, [](void* argument) { return argument; }, nullptr);
        pthread_join(thread, nullptr);
    }
}

extern "C" [[gnu::noinline]] long deep(int calls) {
    std::array<char, 64> room;
    asm volatile("" : : "r"(room.data()) : "memory");
    const long sum = calls > 0 ? deep(calls - 1) : 0;
    asm volatile("" : : "r"(room.data()) : "memory");
    return sum + calls;
}

sigjmp_buf before_overflow;

// On an alternate stack, as the thread's own has no more room.
void overflows() {
    stack_t alternate{};
    alternate.ss_size = size_t{64} << 10;
    alternate.ss_sp = std::malloc(alternate.ss_size);
    sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_handler = [](int) { siglongjmp(before_overflow, 1); };
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_NODEFER);
    sigaction(SIGSEGV, &action, nullptr);
    for (int i = 0; i < 2; ++i) {
        if (sigsetjmp(before_overflow, 1) == 0) std::printf("%ld\n", deep(100'000'000));
        std::puts("survived");
    }
}

volatile int traps = 0;

void blocked_trap() {
    sigset_t trap, pending, before;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    sigprocmask(SIG_BLOCK, &trap, nullptr);
    raise(SIGTRAP);
    long sum = 0;
    for (int i = 0; i < 200; ++i) sum += hot(i);
    sigpending(&pending);
    signal(SIGTRAP, [](int) { traps = traps + 1; });
    const int waited = traps;
    sigprocmask(SIG_UNBLOCK, &trap, &before);
    std::printf("%ld, pending %d, blocked %d, before %d, after %d\n", sum, sigismember(&pending, SIGTRAP),
                sigismember(&before, SIGTRAP), waited, traps);
}

// The child may read, write, and end itself.
void confined() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    const pid_t child = fork();
    if (child == 0) {
        long sum = 0;
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
        for (int i = 0; i < 1000; ++i) sum += hot(i);
        const ssize_t size = write(ends[1], &sum, sizeof sum);
        syscall(SYS_exit, size == sizeof sum ? 5 : 6);
    }
    long sum = 0;
    int status = 0;
    waitpid(child, &status, 0);
    const ssize_t size = status == 5 << 8 ? read(ends[0], &sum, sizeof sum) : 0;
    std::printf("%zd %ld %d\n", size, sum + hot(1), status);
}

void* cancelled(void*) {
    // NOLINTNEXTLINE(concurrency-thread-canceltype-asynchronous): just that is to be survived
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    for (;;) hot(1);
}

void cancels() {
    int cancelled_threads = 0;
    for (int i = 0; i < 10; ++i) {
        pthread_t thread{};
        void* result = nullptr;
        pthread_create(&thread, nullptr, cancelled, nullptr);
        usleep(500);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled_threads += result == PTHREAD_CANCELED ? 1 : 0;
    }
    std::printf("%d\n", cancelled_threads);
}

// The last thread of the program ends the process, and writes what was printed.
void main_ends_first() {
    pthread_t thread{};
    auto work = [](void*) -> void* {
        usleep(20'000);
        std::printf("%ld\n", hot(5));
        return nullptr;
    };
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_exit(nullptr);
}

// Without /proc, where a user may call chroot().
void has_another_root() {
    if (chroot("/dev/shm") != 0) std::puts("stays");
    for (int i = 0; i < 3; ++i) creates();
    std::printf("%ld\n", hot(7));
}

struct Work {
    std::string_view name;
    void (*function)();
};
constexpr Work all[] = {{"forks", forks},
                        {"vforks", vforks},
                        {"creates", creates},
                        {"overflows", overflows},
                        {"blocked_trap", blocked_trap},
                        {"confined", confined},
                        {"cancels", cancels},
                        {"main_ends_first", main_ends_first},
                        {"has_another_root", has_another_root}};

}  // namespace

int main(int, char** words) {
    for (const Work& work : all)
        if (work.name == words[1]) work.function();
    return 0;
}
