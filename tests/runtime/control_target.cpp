// A program of a user's that fires events of its own, by ovni/control.h, and is not linked with libovni.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "ovni/control.h"

namespace {

void listen_to(void* data, int event, uint32_t tid, int bcast) {
    std::printf("%s %d %u %d\n", static_cast<const char*>(data), event, tid, bcast);
    std::fflush(stdout);
}

// Threads come by in the reverse order of their creation.
int threads() {
    constexpr int count = 3;
    std::barrier<> barrier(count);
    std::vector<std::thread> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back([&barrier, i] {
            for (int turn = count - 1; turn >= 0; --turn) {
                barrier.arrive_and_wait();
                if (turn == i) ovni_control_fire(OVNI_CONTROL_THREADID, OVNI_CONTROL_THIS_THREAD, 0);
                barrier.arrive_and_wait();
            }
        });
    for (std::thread& thread : all) thread.join();
    ovni_control_fire(OVNI_CONTROL_THREADID, OVNI_CONTROL_THIS_THREAD, 0);
    return 0;
}

void print_place(void*, int event, uint32_t tid, int) {
    const ovni_control_registers* where = ovni_control_where();
    const auto* address = static_cast<const char*>(ovni_control_address());
    std::printf("%d %u %llx %llx\n", event, tid, where ? static_cast<unsigned long long>(where->rbx) : 0ULL,
                reinterpret_cast<unsigned long long>(address));
    // Its own place does not hide that of the event that it hears of.
    if (event == OVNI_CONTROL_STOP) ovni_control_fire_at(OVNI_CONTROL_THREADID, nullptr, address + 1, tid, 0);
    if (event == OVNI_CONTROL_STOP && ovni_control_address() != address) std::printf("hidden\n");
}

// A context, an address, both, neither.
int fire_at() {
    ovni_control_registers context{};
    context.rbx = 0xb, context.rip = 0x10;
    ovni_control_listen(print_place, nullptr);
    constexpr uint32_t self = OVNI_CONTROL_THIS_THREAD;
    const void* address = reinterpret_cast<const void*>(uintptr_t{0x20});
    ovni_control_fire_at(OVNI_CONTROL_START, &context, nullptr, self, 0);
    ovni_control_fire_at(OVNI_CONTROL_START, nullptr, address, self, 0);
    ovni_control_fire_at(OVNI_CONTROL_STOP, &context, address, 0, 1);
    ovni_control_fire_at(OVNI_CONTROL_START, nullptr, nullptr, 7, 0);
    return ovni_control_fire(OVNI_CONTROL_START, self, 0) == 1 ? 0 : 1;
}

int fire(const char* events) {
    for (; *events; ++events) {
        int event = *events == '+'   ? OVNI_CONTROL_START
                    : *events == '-' ? OVNI_CONTROL_STOP
                                     : OVNI_CONTROL_THREADID;
        std::printf("%d\n", ovni_control_fire(event, OVNI_CONTROL_THIS_THREAD, 0));
    }
    return 0;
}

int fork_and_fire(char** argv) {
    std::thread([] { ovni_control_fire(OVNI_CONTROL_STOP, OVNI_CONTROL_THIS_THREAD, 0); }).join();
    pid_t child = fork();
    if (child == 0) {
        ovni_control_fire(OVNI_CONTROL_THREADID, OVNI_CONTROL_THIS_THREAD, 0);
        std::thread([] { ovni_control_fire(OVNI_CONTROL_THREADID, OVNI_CONTROL_THIS_THREAD, 0); }).join();
        execl(argv[0], argv[0], "fire", "?", nullptr);
        _exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    static char first[] = "first", second[] = "second";
    if (std::strcmp(argv[1], "threads") == 0) return threads();
    if (std::strcmp(argv[1], "quick_exit") == 0) {
        ovni_control_fire(OVNI_CONTROL_THREADID, OVNI_CONTROL_THIS_THREAD, 0);
        std::quick_exit(0);
    }
    if (std::strcmp(argv[1], "fire_at") == 0) return fire_at();
    if (std::strcmp(argv[1], "fork") == 0) return fork_and_fire(argv);
    if (std::strcmp(argv[1], "listen") == 0)
        for (char* name : {first, second}) std::printf("%d\n", ovni_control_listen(listen_to, name));
    return argc > 2 ? fire(argv[2]) : 2;
}
