// Computes, for a count by time. Each word is a scenario.
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <thread>

#include "ovni/control.h"
#include "tests/code/scenarios.hpp"

namespace {

int64_t thread_clock() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The clock by which the tracer counts, or the system has none for it either.
class TaskClock {
 public:
    TaskClock() noexcept {
        perf_event_attr wanted{};
        wanted.size = sizeof wanted;
        wanted.type = PERF_TYPE_SOFTWARE;
        wanted.config = PERF_COUNT_SW_TASK_CLOCK;
        wanted.exclude_kernel = wanted.exclude_hv = 1;
        descriptor_ =
            static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    }
    ~TaskClock() { close(descriptor_); }
    TaskClock(const TaskClock&) = delete;
    TaskClock& operator=(const TaskClock&) = delete;
    int64_t now() const noexcept {
        int64_t count = 0;
        return read(descriptor_, &count, sizeof count) == sizeof count ? count : thread_clock();
    }

 private:
    int descriptor_;
};

void compute() {
    for (int i = 0; i < 100'000; ++i) asm volatile("");
}

// Prints the results of a thread, the main thread, and a child: 0 if all is well.
void print_of_each(int (*work)()) {
    std::thread([work] { std::printf("%d\n", work()); }).join();
    std::printf("%d\n", work());
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("%d\n", status);
}

// For 35 ms.
void be_busy() {
    print_of_each([] {
        const int64_t end = thread_clock() + 35'000'000;
        while (thread_clock() < end) compute();
        return 0;
    });
}

thread_local volatile int alarms = 0;

enum Rhythm : int { regular, too_fast, too_slow };

// Alarms come every 10 ms of the thread. Four in a row need 20 ms at least: the last of several that come at
// once is late by less than one. A machine that is halted meanwhile lets them come late, but not every time.
int find_rhythm() {
    constexpr int64_t ms = 1'000'000, least = 20 * ms, usual = 35 * ms, patience = 2000 * ms;
    constexpr int more = 3;
    const TaskClock clock;
    const int64_t end = clock.now() + patience;
    while (clock.now() < end) {
        int64_t begin = clock.now(), now = begin;
        for (const int seen = alarms; alarms == seen && now < end; now = clock.now()) {
            begin = now;
            compute();
        }
        const int first = alarms;
        for (; alarms < first + more && now < end; now = clock.now()) compute();
        if (alarms < first + more) break;
        now = clock.now();
        if (now - begin <= least) return too_fast;
        if (now - begin <= usual) return regular;
    }
    return too_slow;
}

void print_rhythms() {
    ovni_control_listen(
        [](void*, int event, uint32_t, int) {
            if (event == OVNI_CONTROL_THREADID) alarms = alarms + 1;
        },
        nullptr);
    print_of_each(find_rhythm);
}

constexpr ovni::test::Scenario scenarios[] = {{"busy", be_busy}, {"rhythms", print_rhythms}};

}  // namespace

int main(int argc, char** argv) {
    ovni::test::run_named(scenarios, argc, argv);
    return 0;
}
