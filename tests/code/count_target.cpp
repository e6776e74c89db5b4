// Work whose number of instructions is the same in every run. The first word names it; it is done once, and
// three times more behind begin().
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

// Functions that the tracer stands before, or calls itself.

void locks() {
    static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER,
                           recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    for (int i = 0; i < 50; ++i) {
        pthread_mutex_lock(&plain);
        pthread_mutex_lock(&recursive);
        result += pthread_mutex_trylock(&recursive) + pthread_mutex_trylock(&plain);
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&plain);
    }
}

void other_locks() {
    static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    static pthread_spinlock_t spin;
    static sem_t semaphore;
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 3);
    for (int i = 0; i < 30; ++i) {
        pthread_rwlock_rdlock(&shared);
        pthread_rwlock_unlock(&shared);
        pthread_rwlock_wrlock(&shared);
        pthread_spin_lock(&spin);
        sem_wait(&semaphore);
        pthread_cond_signal(&condition);
        pthread_cond_broadcast(&condition);
        sem_post(&semaphore);
        pthread_spin_unlock(&spin);
        pthread_rwlock_unlock(&shared);
    }
}

// The thread is created, and joined once it has ended.
void creates() {
    result += fibonacci(5);
    pthread_t thread{};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{64} << 10);
    pthread_create(
        &thread, &attributes, [](void* argument) { return argument; }, nullptr);
    result += fibonacci(10);
    usleep(20000);
    pthread_join(thread, nullptr);
}

void forks() {
    int status = 0;
    result += fibonacci(10);
    const pid_t child = fork();
    if (child == 0) _exit(3);
    waitpid(child, &status, 0);
    result += status;
}

void prints() {
    char text[100];
    for (int i = 0; i < 10; ++i)
        result += std::snprintf(text, sizeof text, "%d %s %.3f %lx", i, "word", i * 0.7, i * 77L);
}

void memory() {
    std::vector<std::vector<int>> all;
    for (size_t i = 1; i < 40; ++i) all.emplace_back(i * 13 % 101);
    result += static_cast<double>(all[7].size());
}

void files() {
    FILE* file = std::fopen("/dev/null", "w");
    for (int i = 0; i < 20; ++i) std::fprintf(file, "%d\n", i);
    std::fclose(file);
}

void sorts() {
    static std::array<int, 60> numbers;
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 37 % 61);
    std::qsort(numbers.data(), numbers.size(), sizeof numbers[0], [](const void* a, const void* b) {
        return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    result += numbers[3];
}

void masks() {
    sigset_t some, before;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    for (int i = 0; i < 20; ++i) {
        pthread_sigmask(SIG_BLOCK, &some, &before);
        signal(SIGUSR2, SIG_IGN);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
}

void once() {
    for (int i = 0; i < 30; ++i) {
        static pthread_once_t control;
        control = PTHREAD_ONCE_INIT;
        pthread_once(&control, [] { result += fibonacci(3); });
        pthread_once(&control, [] { result += 1; });
    }
}

struct Work {
    std::string_view name;
    void (*function)();
};
constexpr Work all[] = {{"calls", calls},
                        {"loops", loops},
                        {"vectors", vectors},
                        {"repeated", repeated},
                        {"exceptions", exceptions},
                        {"signals", signals},
                        {"jumps", jumps},
                        {"coroutines", coroutines},
                        {"data_in_code", data_in_code},
                        {"choices", choices},
                        {"locks", locks},
                        {"other_locks", other_locks},
                        {"creates", creates},
                        {"forks", forks},
                        {"prints", prints},
                        {"memory", memory},
                        {"files", files},
                        {"sorts", sorts},
                        {"masks", masks},
                        {"once", once}};

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
