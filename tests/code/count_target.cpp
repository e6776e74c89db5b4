// Work whose number of instructions is the same in every run. The first word names it; it is done once, and
// three times more behind begin().
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

extern "C" [[gnu::noinline]] void begin() {
    asm volatile("");
}

namespace {

double result;

[[gnu::noinline]] int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
void calls() {
    result += fibonacci(16);
}

void loops() {
    static std::array<int, 600> numbers;
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 601);
    for (size_t gap = numbers.size() / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < numbers.size(); ++i)
            for (size_t k = i; k >= gap && numbers[k - gap] > numbers[k]; k -= gap)
                std::swap(numbers[k], numbers[k - gap]);
    result += numbers[17];
}

[[gnu::target("avx2,fma")]] void vectors() {
    static std::array<double, 512> a, b;
    for (int round = 0; round < 20; ++round)
        for (size_t i = 0; i < a.size(); ++i) {
            a[i] = a[i] * 0.5 + static_cast<double>(i);
            b[i] += a[i];
        }
    long double slow = 1;
    for (int i = 1; i < 200; ++i) slow = slow / 3 + static_cast<long double>(i);
    result += b[100] + static_cast<double>(slow);
}

void repeated() {
    static std::array<char, 700> from, to;
    for (int round = 0; round < 30; ++round) {
        const char* source = from.data();
        char* target = to.data();
        size_t count = from.size() - static_cast<size_t>(round);
        asm volatile("cld; rep movsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
        target = to.data(), count = 100;
        asm volatile("rep stosb" : "+D"(target), "+c"(count) : "a"(round) : "memory");
        source = from.data(), target = to.data(), count = 100;
        asm volatile("repe cmpsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory", "cc");
        result += static_cast<double>(count);
    }
}

[[gnu::noinline]] int refuse(int i) {
    if (i % 3 == 0) throw std::runtime_error("three");
    return i;
}
void exceptions() {
    for (int i = 0; i < 12; ++i) try {
            result += refuse(i);
        } catch (const std::exception&) {
            result -= 1;
        }
}

volatile int handled;
void handle(int) {
    handled = handled + 1;
}
void handle_fault(int, siginfo_t*, void* context) {
    constexpr int bytes_of_load = 3;
    handled = handled + 1;
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += bytes_of_load;
}
void send(int signal) {
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}
void signals() {
    signal(SIGUSR1, handle);
    struct sigaction fault {};
    fault.sa_sigaction = handle_fault;
    fault.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &fault, nullptr);
    for (int i = 0; i < 20; ++i) {
        send(SIGUSR1);
        uint64_t nothing = 0;
        asm volatile("mov (%0), %0" : "+r"(nothing));
    }
    result += handled;
}

sigjmp_buf place;
void jump_back(int) {
    siglongjmp(place, 1);
}
void jumps() {
    signal(SIGUSR2, jump_back);
    static volatile int times;
    static volatile int round;
    for (round = 0; round < 10;) {
        round = round + 1;
        times = 0;
        sigsetjmp(place, 1);
        times = times + 1;
        if (times < 3) siglongjmp(place, 1);
        if (times < 5) send(SIGUSR2);
    }
}

ucontext_t here, there;
std::array<char, 65536> other_stack;
void other() {
    for (;;) {
        result += 1;
        swapcontext(&there, &here);
    }
}
void coroutines() {
    getcontext(&there);
    there.uc_stack.ss_sp = other_stack.data();
    there.uc_stack.ss_size = other_stack.size();
    there.uc_link = nullptr;
    makecontext(&there, other, 0);
    for (int i = 0; i < 20; ++i) swapcontext(&here, &there);
}

// Data lies between instructions, and instructions depend on flags of others far away.
[[gnu::naked, gnu::noinline]] uint64_t mixed(uint64_t) {
    asm volatile(
        "    xor %eax, %eax\n"
        "    jmp 2f\n"
        "1:  .quad 0x0f0b0f0b0f0b0f0b, 3\n"
        "2:  lea 1b(%rip), %rdx\n"
        "3:  add 8(%rdx), %rax\n"
        "    cmp $30, %rax\n"
        "    jmp 4f\n"
        "    .byte 0xff\n"
        "4:  mov $0, %ecx\n"
        "    jmp 5f\n"
        "5:  cmovb %edi, %ecx\n"
        "    jae 7f\n"
        "    jrcxz 7f\n"
        "6:  dec %rcx\n"
        "    loop 6b\n"
        "    jmp 3b\n"
        "7:  adc $0, %rax\n"
        "    ret $0\n");
}
void data_in_code() {
    for (uint64_t i = 4; i < 200; i += 2) result += static_cast<double>(mixed(i));
}

using Step = int (*)(int);
template <int number>
int step(int value) {
    return value * 3 + number;
}
void choices() {
    static constexpr std::array<Step, 4> steps = {step<1>, step<2>, step<3>, step<4>};
    int value = 1;
    for (int i = 0; i < 300; ++i) {
        switch (value & 7) {
            case 0:
                value = steps[0](value);
                break;
            case 1:
                value = steps[1](value) ^ 5;
                break;
            case 2:
                value = steps[2](value) + 7;
                break;
            case 3:
                value = steps[3](value) - 1;
                break;
            case 4:
                value += 11;
                break;
            case 5:
                value ^= 0x55;
                break;
            default:
                value = steps[static_cast<size_t>(i & 3)](value);
                break;
        }
    }
    result += value & 0xff;
}

void all_in_threads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            begin();
            const int number = fibonacci(18);
            asm volatile("" : : "r"(number));
        });
    for (std::thread& thread : threads) thread.join();
}

struct Work {
    std::string_view name;
    void (*function)();
};
constexpr Work all[] = {{"calls", calls},       {"loops", loops},           {"vectors", vectors},
                        {"repeated", repeated}, {"exceptions", exceptions}, {"signals", signals},
                        {"jumps", jumps},       {"coroutines", coroutines}, {"data_in_code", data_in_code},
                        {"choices", choices}};

}  // namespace

int main(int, char** words) {
    if (std::string_view(words[1]) == "threads") {
        all_in_threads();
        return 0;
    }
    for (const Work& work : all) {
        if (work.name != words[1]) continue;
        work.function();
        begin();
        for (int i = 0; i < 3; ++i) work.function();
    }
    std::printf("%g\n", result);
    return 0;
}
