// Programs with all that translated code must not disturb. Each word is a scenario; its output is the same as
// without.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "tests/code/scenarios.hpp"

namespace {

using Made = int (*)();

// mov $number, %eax; ret
void write_function(uint8_t* at, int number) {
    at[0] = 0xb8;
    memcpy(at + 1, &number, sizeof number);
    at[5] = 0xc3;
}
uint8_t* map_code(int rights) {
    constexpr size_t page = 4096;
    void* made = mmap(nullptr, page, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return static_cast<uint8_t*>(made);
}
int call(uint8_t* code) {
    return reinterpret_cast<Made>(code)();
}

// Code that the program writes: again and again, with and without a system call, and by moving pages.
void written() {
    constexpr size_t page = 4096;
    uint8_t* open = map_code(PROT_READ | PROT_WRITE | PROT_EXEC);
    for (int i = 0; i < 5; ++i) {
        write_function(open, i);
        std::printf("%d\n", call(open));
    }
    uint8_t* one = map_code(PROT_READ | PROT_WRITE);
    uint8_t* other = map_code(PROT_READ | PROT_WRITE);
    for (int i = 0; i < 5; ++i) {
        write_function(one, 10 + i);
        mprotect(one, page, PROT_READ | PROT_EXEC);
        std::printf("%d\n", call(one));
        syscall(SYS_pkey_mprotect, one, page, PROT_READ | PROT_WRITE, -1);
    }
    write_function(one, 20);
    write_function(other, 21);
    mprotect(one, page, PROT_READ | PROT_EXEC);
    mprotect(other, page, PROT_READ | PROT_EXEC);
    std::printf("%d\n", call(one));
    mremap(other, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, one);
    std::printf("%d\n", call(one));
}

long work(long rounds) {
    volatile long sum = 0;
    for (long i = 0; i < rounds; ++i) sum = sum + (i ^ rounds);
    return sum;
}

void forks_by_number() {
    for (int i = 0; i < 3; ++i) {
        std::fflush(stdout);
        const long child = syscall(SYS_fork);
        if (child == 0) {
            long of_thread = 0;
            std::thread thread([&] { of_thread = work(200'000); });
            const long own = work(200'000);
            thread.join();
            _exit(own == of_thread ? 0 : 1);
        }
        int status = 0;
        waitpid(static_cast<pid_t>(child), &status, 0);
        std::printf("%d\n", status);
    }
}

struct Told {
    const char* name;
    ~Told() { std::puts(name); }
};
std::array<int, 2> pipe_ends;
std::atomic<bool> is_reading{false};
[[gnu::noinline]] void wait_for_byte() {
    const Told inner{"inner"};
    char byte = 0;
    is_reading = true;
    static_cast<void>(!read(pipe_ends[0], &byte, 1));
}
void cancelled() {
    static_cast<void>(!pipe(pipe_ends.data()));
    for (int i = 0; i < 3; ++i) {
        is_reading = false;
        pthread_t thread;
        pthread_create(
            &thread, nullptr,
            [](void*) -> void* {
                const Told outer{"outer"};
                wait_for_byte();
                return nullptr;
            },
            nullptr);
        while (!is_reading) usleep(1000);
        usleep(20'000);
        pthread_cancel(thread);
        void* result = nullptr;
        pthread_join(thread, &result);
        std::printf("%d\n", result == PTHREAD_CANCELED);
    }
}

// As programs find out what the processor can do.
void alignment_flag() {
    uint64_t before = 0, after = 0;
    asm volatile(
        "sub $256, %%rsp; pushfq; pop %0; mov %0, %1; xor $0x40000, %1; push %1; popfq; jmp 1f\n"
        "1: pushfq; pop %1; push %0; popfq; add $256, %%rsp"
        : "=&r"(before), "=&r"(after)
        :
        : "memory");
    std::printf("%d\n", before != after);
}

// Two timers interrupt each other's handlers; the program's registers are never those of others.
constexpr int pattern = 0x1234;
std::atomic<int> alarms{0};
void storm() {
    struct sigaction action {};
    action.sa_flags = SA_RESTART;
    action.sa_handler = [](int) { alarms.fetch_add(1); };
    sigaction(SIGALRM, &action, nullptr);
    sigaction(SIGUSR1, &action, nullptr);
    const std::array<int, 2> signals{SIGALRM, SIGUSR1};
    std::array<timer_t, 2> timers{};
    for (size_t i = 0; i < timers.size(); ++i) {
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = signals[i];
        timer_create(CLOCK_MONOTONIC, &event, &timers[i]);
        const long ns = 137'000 + 4000 * static_cast<long>(i);
        const itimerspec each{{0, ns}, {0, ns}};
        timer_settime(timers[i], 0, &each, nullptr);
    }
    bool is_good = true;
    while (alarms < 4000) {
        long rax = pattern, rcx = pattern + 1, rdx = pattern + 2;
        asm volatile("cmp $0x1234, %%rax; jne 1f; lea 1(%%rcx), %%rcx; dec %%rcx; 1:"
                     : "+a"(rax), "+c"(rcx), "+d"(rdx)
                     :
                     : "cc");
        is_good =
            is_good && rax == pattern && rcx == pattern + 1 && rdx == pattern + 2 && work(10) == work(10);
    }
    for (timer_t timer : timers) timer_delete(timer);
    std::printf("%d\n", is_good);
}

void end_of_main_thread() {
    std::thread([] {
        usleep(50'000);
        std::puts("last");
    }).detach();
    pthread_exit(nullptr);
}

constexpr ovni::test::Scenario scenarios[] = {
    {"written", written},     {"forks_by_number", forks_by_number},
    {"cancelled", cancelled}, {"alignment_flag", alignment_flag},
    {"storm", storm},         {"end_of_main_thread", end_of_main_thread}};

}  // namespace

int main(int argc, char** argv) {
    ovni::test::run_named(scenarios, argc, argv);
    return 0;
}
