// Marks sections of work whose use of the machine it measures by getrusage, and by a task clock of its own,
// for tests of counters:
//
//     counted_target MODE        prints "TID faults clock switches faults clock switches" of every section
//
// In the mode "large", getrusage counts 2^32 for each fault and switch, and perf_event_open fails. A section
// touches new pages, computes for 20 ms, and sleeps three times; mark type 1 is 1 in it. The first three
// numbers are measured inside of the borders, the others around them.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string_view>

#include "ovni.h"
#include "ovni/emit.hpp"

namespace {

constexpr size_t pages = 500, page = 4096;

long weight = 1;

}  // namespace

// The tracer calls it, too.
int getrusage(__rusage_who_t who, rusage* usage) noexcept {
    const long result = syscall(SYS_getrusage, who, usage);
    for (long* count : {&usage->ru_minflt, &usage->ru_majflt, &usage->ru_nvcsw, &usage->ru_nivcsw})
        *count *= weight;
    return static_cast<int>(result);
}

namespace {

int64_t thread_clock() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Begins to count the task clock of the calling thread. The clock of getrusage differs from it by up to a
// third if the machine is virtual and its host is busy; it serves where perf_event_open is forbidden, as in
// the tracer.
class TaskClock {
 public:
    TaskClock() noexcept {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.config = PERF_COUNT_SW_TASK_CLOCK;
        descriptor_ =
            static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    }
    ~TaskClock() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    TaskClock(const TaskClock&) = delete;
    TaskClock& operator=(const TaskClock&) = delete;
    int64_t now() const noexcept {
        int64_t count = 0;
        const bool is_read = descriptor_ >= 0 && read(descriptor_, &count, sizeof count) == sizeof count;
        return is_read ? count : thread_clock();
    }

 private:
    int descriptor_;
};

void touch() {
    void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    auto* bytes = static_cast<volatile char*>(memory);
    for (size_t i = 0; i < pages; ++i) bytes[i * page] = 1;
    munmap(memory, pages * page);
}

// Use of the machine by the calling thread until now.
struct Use {
    long faults, switches;
    int64_t clock;
};

Use use_until_now(const TaskClock& task_clock) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw, task_clock.now()};
}

void print_between(const Use& begin, const Use& end) {
    std::printf(" %ld %lld %ld", end.faults - begin.faults, static_cast<long long>(end.clock - begin.clock),
                end.switches - begin.switches);
}

void section() {
    constexpr int64_t to_compute = 20'000'000;
    const TaskClock task_clock;
    const Use before = use_until_now(task_clock);
    ovni_mark_push(1, 1);
    const Use begin = use_until_now(task_clock);
    touch();
    while (task_clock.now() < begin.clock + to_compute) continue;
    for (int i = 0; i < 3; ++i) usleep(1000);
    const Use end = use_until_now(task_clock);
    ovni_mark_pop(1, 1);
    const Use after = use_until_now(task_clock);
    std::printf("%d", gettid());
    print_between(begin, end);
    print_between(before, after);
    std::printf("\n");
    std::fflush(stdout);
}

void begin_thread() {
    ovni_thread_init(gettid());
    if (gettid() == getpid()) ovni_add_cpu(0, 0);
    ovni::emit("OHx", 0, -1, uint64_t{0});
    ovni_mark_type(1, OVNI_MARK_STACK, "section");
}

void end_thread() {
    ovni::emit("OHe");
    ovni_thread_free();
}

void* other_thread(void*) {
    begin_thread();
    section();
    end_thread();
    return nullptr;
}

// From now on perf_event_open fails, as in many containers.
void forbid_counters() {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{std::size(filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        std::perror("seccomp");
}

// All descriptors, and the numbers get files of the program, from which nobody may read.
void close_descriptors() {
    constexpr unsigned first = STDERR_FILENO + 1, reused = 400;
    syscall(SYS_close_range, first, ~0U, 0);
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "mine", 4) != 4) return;
    for (int i = STDERR_FILENO + 3; i < static_cast<int>(reused); ++i) dup2(ends[0], i);
    section();
    char text[8] = {};
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const bool is_whole = read(ends[0], text, sizeof text) == 4 && std::strcmp(text, "mine") == 0;
    std::printf("%s\n", is_whole ? "kept" : "lost");
}

}  // namespace

int main(int, char** argv) {
    const std::string_view mode = argv[1];
    if (mode == "large") weight = int64_t{1} << 32;
    if (mode == "refused" || mode == "large") forbid_counters();
    ovni_proc_init(1, "counted", getpid());
    begin_thread();
    section();
    if (mode == "forks") {
        const pid_t child = fork();
        section();
        if (child == 0) return 0;
        waitpid(child, nullptr, 0);
    }
    if (mode == "execs") {
        execl("/proc/self/exe", argv[0], "again", nullptr);
        return 1;
    }
    if (mode == "threads") {
        pthread_t thread;
        pthread_create(&thread, nullptr, other_thread, nullptr);
        pthread_join(thread, nullptr);
    }
    if (mode == "closes") close_descriptors();
    section();
    if (mode == "dies") raise(SIGKILL);
    end_thread();
    ovni_proc_fini();
    return 7;
}
