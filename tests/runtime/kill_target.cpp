// Emits without end from some threads, and acknowledges every event in a file that is mapped: what is
// acknowledged must be in the trace, however the process ends.
//     runtime_kill_target ACKNOWLEDGED THREADS [EVENTS]
// If a number of events is given, per thread that is not 0, it ends after them. The file begins with the pid;
// the counter of thread t stands in cache line t + 1.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "ovni.h"
#include "ovni/emit.hpp"

int main(int argc, char** argv) {
    constexpr size_t bytes = 4096, line = 8;  // counters, one per cache line
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, bytes) != 0) return 1;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return 1;
    auto* acknowledged = static_cast<std::atomic<uint64_t>*>(memory);
    acknowledged[0].store(static_cast<uint64_t>(getpid()));
    ovni_proc_init(1, "killed", getpid());
    std::vector<std::thread> team;
    std::atomic<bool> cpus_are_given = false;
    int threads = atoi(argv[2]);
    const uint64_t events = argc > 3 ? strtoull(argv[3], nullptr, 10) : 0;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&, counter = acknowledged + line * static_cast<size_t>(t + 1), t] {
            ovni_thread_init(getpid() + t);
            for (int cpu = 0; t == 0 && cpu < threads; ++cpu) ovni_add_cpu(cpu, cpu);
            if (t == 0) cpus_are_given = true;
            while (!cpus_are_given) std::this_thread::yield();
            ovni::emit("OHx", t, -1, uint64_t{0});
            for (uint64_t i = 1; events == 0 || i <= events; ++i) {
                ovni::emit("OB.", i);
                counter->store(i, std::memory_order_release);
            }
            ovni::emit("OHe");
            ovni_thread_free();
        });
    for (std::thread& thread : team) thread.join();
    ovni_proc_fini();
}
