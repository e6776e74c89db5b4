// Programs with all that sites in their code must not disturb. Each word is a scenario; its output is the
// same with sites and without.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/code/scenarios.hpp"

namespace stack {

template <class Item>
struct Pile {
    [[gnu::noinline]] Item push(Item item) {
        asm volatile("" : "+r"(item));
        return item + 1;
    }
};

namespace {
[[gnu::noinline]] int hidden(int value) {
    asm volatile("" : "+r"(value));
    return value * 2;
}
}  // namespace

}  // namespace stack

// Each begins with another kind of instruction: a jump, a call, a branch, data at the program counter, a
// push. The last one calls another that begins with a call of what lies on the stack.
extern "C" {
long begin_jump(long), begin_call(long), begin_branch(long), begin_data(long), begin_push(long),
    begin_loop(long), begin_on_stack(long);
}
asm(R"(
.text
.globl begin_jump, begin_call, begin_branch, begin_data, begin_push, begin_loop, begin_on_stack
.type begin_jump, @function
.type begin_call, @function
.type begin_branch, @function
.type begin_data, @function
.type begin_push, @function
.type begin_loop, @function
.type begin_on_stack, @function
.type calls_on_stack, @function
helper: lea 1(%rdi), %rax
    ret
begin_jump: .cfi_startproc
    jmp helper
.cfi_endproc
begin_call: call helper
    add $1, %rax
    ret
begin_branch: jrcxz 1f
    mov %rdi, %rax
    ret
1:  lea 7(%rdi), %rax
    ret
begin_data: mov number(%rip), %rax
    add %rdi, %rax
    ret
begin_push: push %rbp
    mov %rsp, %rbp
    lea 3(%rdi), %rax
    pop %rbp
    ret
begin_loop: loop 1f
    mov $5, %eax
    ret
1:  mov $6, %eax
    ret
begin_on_stack: lea helper(%rip), %rax
    push %rax
    call calls_on_stack
    pop %rdx
    ret
calls_on_stack: call *8(%rsp)
    add $2, %rax
    ret
.data
number: .quad 40
.text
)");

// The names that gfortran gives to a function of its own and to one of a module.
extern "C" {
int solve_(int number);
int __solvers_MOD_thaw_ice(int number);
}
[[gnu::noinline]] int solve_(int number) {
    asm volatile("" : "+r"(number));
    return number + 3;
}
[[gnu::noinline]] int __solvers_MOD_thaw_ice(int number) {
    asm volatile("" : "+r"(number));
    return number + 4;
}

namespace {

[[gnu::noinline]] int deep(int depth) {
    if (depth == 0) throw std::runtime_error("thrown");
    return deep(depth - 1) + 1;
}

jmp_buf place;
[[gnu::noinline]] void jump_away() {
    longjmp(place, 7);
}

void beginnings() {
    for (long value : {0L, 1L, 2L})
        std::printf("%ld %ld %ld %ld %ld %ld %ld\n", begin_jump(value), begin_call(value),
                    begin_branch(value), begin_data(value), begin_push(value), begin_loop(value),
                    begin_on_stack(value));
}

void names() {
    stack::Pile<int> pile;
    stack::Pile<long> other;
    std::printf("%d %ld %d\n", pile.push(1), other.push(2), stack::hidden(3));
    std::printf("%d %d\n", solve_(1), __solvers_MOD_thaw_ice(2));
}

void exceptions() {
    for (int i = 0; i < 100; ++i) try {
            deep(20);
        } catch (const std::exception& thrown) {
            if (i == 99) std::puts(thrown.what());
        }
    std::printf("%d\n", setjmp(place) == 0 ? (jump_away(), 0) : 7);
}

void threads() {
    std::atomic<long> sum{0};
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back([&] {
            long own = 0;
            for (long k = 0; k < 5000; ++k) own += begin_push(k) - k;
            sum += own;
        });
    for (std::thread& thread : all) thread.join();
    std::printf("%ld\n", sum.load());
}

// Many calls of two functions, in turn.
void in_turn() {
    std::vector<std::thread> all;
    std::atomic<long> sum{0};
    for (int i = 0; i < 4; ++i)
        all.emplace_back([&] {
            long own = 0;
            for (long k = 0; k < 20000; ++k) own += begin_push(k) - begin_jump(k);
            sum += own;
        });
    for (std::thread& thread : all) thread.join();
    std::printf("%ld\n", sum.load());
}

void in_turn_alone() {
    long sum = 0;
    for (long k = 0; k < 1000; ++k) sum += begin_push(k) - begin_jump(k);
    std::printf("%ld\n", sum);
}

void blocked() {
    sigset_t set, before;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    std::printf("%ld\n", begin_push(1));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    struct sigaction action {};
    action.sa_handler = [](int) { begin_push(2); };
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
    std::puts("handled");
}

volatile sig_atomic_t traps = 0;
void own_traps() {
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) { traps = traps + 1; };
    sigaction(SIGTRAP, &action, &before);
    std::printf("%d\n", before.sa_handler == SIG_DFL);
    asm volatile("int3");
    begin_push(1);
    raise(SIGTRAP);
    std::printf("%d %d\n", static_cast<int>(traps), signal(SIGTRAP, SIG_IGN) == action.sa_handler);
    raise(SIGTRAP);
    signal(SIGTRAP, SIG_DFL);
}

void children() {
    static int i;  // the child of vfork() must not find it in a register
    for (i = 0; i < 3; ++i) {
        std::fflush(stdout);
        const pid_t child = i == 2 ? vfork() : fork();
        if (child == 0 && i == 0) _exit(static_cast<int>(begin_push(1)));
        if (child == 0 && i == 1) execl("/bin/true", "true", nullptr);
        if (child == 0) _exit(9);
        int status = 0;
        waitpid(child, &status, 0);
        std::printf("%d\n", WEXITSTATUS(status));
    }
}

void late() {
    for (int i = 0; i < 3; ++i) {
        void* library = dlopen(LATE_LIBRARY, RTLD_NOW);
        if (library == nullptr) return static_cast<void>(std::puts(dlerror()));
        auto function = reinterpret_cast<int (*)(int)>(dlsym(library, "come_late"));
        std::printf("%d\n", function(i));
        dlclose(library);
    }
}

void die() {
    asm volatile("int3");
}

void spawns() {
    std::fflush(stdout);
    std::printf("%d\n", system("echo system"));
    FILE* output = popen("echo popen", "r");
    char line[32] = "nothing\n";
    if (output != nullptr && fgets(line, sizeof line, output) == nullptr) std::puts("no line");
    std::printf("%s%d\n", line, output == nullptr ? -1 : pclose(output));
    char word[] = "true";
    char* const words[] = {word, nullptr};
    pid_t child = 0;
    int status = posix_spawnp(&child, "true", nullptr, nullptr, words, environ);
    waitpid(child, &status, 0);
    std::printf("%d\n", status);
}

[[gnu::noinline]] int throws(int number) {
    asm volatile("" : "+r"(number));
    throw number;
}
// The handler goes on elsewhere than behind the call.
[[gnu::noinline]] int catch_directly(int number) {
    try {
        throws(number);
        return 4;
    } catch (int) {
        return static_cast<int>(begin_push(number));
    }
}

ucontext_t outside, inside;
[[gnu::noinline]] void open_call() {
    swapcontext(&inside, &outside);
    asm volatile("");
}
[[gnu::noinline]] int higher_call(int number) {
    asm volatile("" : "+r"(number));
    return number;
}
// A call is open on a stack that lies below another one.
void coroutines() {
    constexpr size_t bytes = size_t{1} << 16;
    char* low = static_cast<char*>(
        mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    auto run_at = [&](ucontext_t& context, char* stack, void (*function)()) {
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = bytes;
        context.uc_link = &outside;
        makecontext(&context, function, 0);
        swapcontext(&outside, &context);
    };
    ucontext_t higher;
    run_at(inside, low, [] { open_call(); });
    run_at(higher, low + bytes, [] { higher_call(1); });
    swapcontext(&outside, &inside);
    munmap(low, 2 * bytes);
    std::puts("coroutines");
}

void cancelled() {
    static std::atomic<long> result;
    result = 0;
    std::atomic<bool> is_cancelled{false};
    std::thread thread([&] {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
        while (!is_cancelled) std::this_thread::yield();
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
        result = begin_jump(4);
        pthread_testcancel();
    });
    pthread_cancel(thread.native_handle());
    is_cancelled = true;
    thread.join();
    std::printf("%ld\n", result.load());
}

extern "C" sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept;
void trap_forms() {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_handler = SIG_IGN;
    sigaction(SIGTRAP, &action, nullptr);
    raise(SIGTRAP);
    for (int i = 0; i < 2; ++i) {
        __sysv_signal(SIGTRAP, [](int) { traps = traps + 1; });
        begin_push(1);
        raise(SIGTRAP);
    }
    std::printf("%d\n", static_cast<int>(traps));
    signal(SIGTRAP, [](int) { longjmp(place, 1); });
    if (setjmp(place) == 0) raise(SIGTRAP);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    std::printf("%d %d\n", sigismember(&blocked, SIGALRM), sigismember(&blocked, SIGUSR1));
    signal(SIGTRAP, SIG_DFL);
}

constexpr ovni::test::Scenario scenarios[] = {{"beginnings", beginnings},
                                              {"names", names},
                                              {"exceptions", exceptions},
                                              {"threads", threads},
                                              {"in_turn", in_turn},
                                              {"in_turn_alone", in_turn_alone},
                                              {"blocked", blocked},
                                              {"own_traps", own_traps},
                                              {"children", children},
                                              {"late", late},
                                              {"spawns", spawns},
                                              {"coroutines", coroutines},
                                              {"cancelled", cancelled},
                                              {"trap_forms", trap_forms},
                                              {"catches",
                                               [] {
                                                   for (int i = 0; i < 3; ++i)
                                                       std::printf("%d\n", catch_directly(i));
                                               }},
                                              {"die", die}};

}  // namespace

int main(int argc, char** argv) {
    ovni::test::run_named(scenarios, argc, argv);
    return 0;
}
