// Functions that are called often, so that jumps take the places of their sites. Each word is a scenario.
#include <dlfcn.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/code/scenarios.hpp"

// Their first five bytes hold: two pushes and more; a loop; one long instruction; a return and padding; a
// branch; data at the program counter; a call.
extern "C" {
long jump_pushes(long), jump_inside(long), jump_long(long), jump_return(long), jump_branch(long),
    jump_data(long), jump_call(long), jump_turn(long);
double jump_double(double one, double other);
}
asm(R"(
.text
.globl jump_pushes, jump_inside, jump_long, jump_return, jump_branch, jump_data, jump_call, jump_turn
.type jump_pushes, @function
.type jump_inside, @function
.type jump_long, @function
.type jump_return, @function
.type jump_branch, @function
.type jump_data, @function
.type jump_call, @function
.type jump_turn, @function
jump_pushes: push %r15
    push %r14
    push %rbx
    mov $0, %r15
    lea 1(%rdi,%r15), %rax
    pop %rbx
    pop %r14
    pop %r15
    ret
jump_inside: xor %eax, %eax
1:  inc %rax
    dec %rdi
    jnz 1b
    ret
jump_long: sub $0x12345, %rsp
    lea 2(%rdi), %rax
    add $0x12345, %rsp
    ret
jump_return: ret
    .p2align 4
jump_branch: test %rdi, %rdi
    js 1f
    lea 3(%rdi), %rax
    ret
1:  mov $-1, %rax
    ret
jump_data: lea jump_number(%rip), %rax
    add (%rax), %rdi
    mov %rdi, %rax
    ret
jump_call: call jump_long
    add $1, %rax
    ret
jump_turn: push %rbp
    mov %rsp, %rbp
    lea 9(%rdi), %rax
    pop %rbp
    ret
.data
jump_number: .quad 40
.text
)");

[[gnu::noinline]] double jump_double(double one, double other) {
    asm volatile("" : "+x"(one), "+x"(other));
    return one * 3 + other;
}

namespace {

constexpr int often = 400;

bool is_jump(const void* function) {
    constexpr unsigned char jump = 0xe9;
    unsigned char first = 0;
    memcpy(&first, function, 1);
    return first == jump;
}

struct Form {
    const char* name;
    long (*function)(long);
};
constexpr Form forms[] = {{"pushes", jump_pushes}, {"long", jump_long}, {"return", jump_return},
                          {"branch", jump_branch}, {"data", jump_data}, {"call", jump_call}};

// Prints the sum of the results, and for each form whether it is a jump now.
void call_often() {
    long sum = 0;
    for (const Form& form : forms)
        for (long i = -1; i < often - 1; ++i)
            sum += form.function == jump_return ? (form.function(i), i) : form.function(i);
    double product = 0;
    for (int i = 0; i < often; ++i) product += jump_double(i, product / 2);
    std::printf("%ld %.17g\n", sum, product);
}

void print_jumps() {
    for (const Form& form : forms)
        std::printf("%s %d\n", form.name, is_jump(reinterpret_cast<const void*>(form.function)));
    std::printf("double %d\n", is_jump(reinterpret_cast<const void*>(jump_double)));
}

// The program jumps into the five bytes all the time.
void jump_into() {
    long sum = 0;
    for (long i = 1; i < often; ++i) sum += jump_inside(i);
    std::printf("%ld\n", sum);
}

// The threads call two functions in turn, each some times.
void call_in_turn() {
    constexpr int threads = 4, rounds = 2000, calls = 70;
    std::atomic<long> sum{0};
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&] {
            long own = 0;
            for (int round = 0; round < rounds; ++round) {
                for (long k = 0; k < calls; ++k) own += jump_turn(k);
                for (long k = 0; k < calls; ++k) own -= jump_pushes(k);
            }
            sum += own;
        });
    for (std::thread& thread : all) thread.join();
    std::printf("%ld\n", sum.load());
}

// The loader's own site is hit with each of these.
void load_often() {
    for (int i = 0; i < 40; ++i) {
        void* library = dlopen(LATE_LIBRARY, RTLD_NOW);
        std::printf("%d", reinterpret_cast<int (*)(int)>(dlsym(library, "come_late"))(i) != 0);
        dlclose(library);
    }
    std::puts("");
}

// Calls a function while the direction flag is set.
void call_backwards() {
    long sum = 0;
    for (long i = 0; i < often; ++i) {
        long argument = i, result = 0;
        asm volatile("sub $256, %%rsp\n std\n call jump_turn\n cld\n add $256, %%rsp"
                     : "=a"(result), "+D"(argument)
                     :
                     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
        sum += result;
    }
    std::printf("%ld\n", sum);
}

// Children are made while another thread makes jumps come and go.
void fork_meanwhile() {
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over) {
            for (long k = 0; k < 70; ++k) jump_turn(k);
            for (long k = 0; k < 70; ++k) jump_pushes(k);
        }
    });
    int right = 0;
    for (int i = 0; i < 60; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            long sum = 0;
            for (long k = 0; k < 200; ++k) sum += jump_turn(k) - jump_pushes(k);
            _exit(sum == 200L * 8);
        }
        int status = 0;
        waitpid(child, &status, 0);
        right += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    }
    is_over = true;
    other.join();
    std::printf("%d\n", right);
}

// The C library runs the callbacks in a thread in which all signals were blocked.
void call_by_timer() {
    static std::atomic<int> calls{0};
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) { calls += jump_turn(1) == 10; };
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    constexpr itimerspec each{{0, 1'000'000}, {0, 1'000'000}};
    timer_settime(timer, 0, &each, nullptr);
    while (calls < 5) sched_yield();
    std::puts("called");
}

// Bad instructions of the program's own.
sigjmp_buf behind_illegal;
void be_illegal() {
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) { siglongjmp(behind_illegal, 1); };
    sigaction(SIGILL, &action, &before);
    for (int i = 0; i < 3; ++i)
        if (sigsetjmp(behind_illegal, 1) == 0)
            asm volatile("ud2");
        else
            std::printf("%d\n", before.sa_handler == SIG_DFL);
    signal(SIGILL, SIG_DFL);
}
void die() {
    std::fflush(stdout);
    asm volatile("ud2");
}

constexpr ovni::test::Scenario scenarios[] = {{"often", call_often},     {"jumps", print_jumps},
                                              {"into", jump_into},       {"in_turn", call_in_turn},
                                              {"late", load_often},      {"backwards", call_backwards},
                                              {"forks", fork_meanwhile}, {"timer", call_by_timer},
                                              {"illegal", be_illegal},   {"die", die}};

}  // namespace

int main(int argc, char** argv) {
    ovni::test::run_named(scenarios, argc, argv);
    return 0;
}
