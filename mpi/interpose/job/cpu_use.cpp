#include "mpi/interpose/job/cpu_use.hpp"

#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "mpi/interpose/job/busy_cpus.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

Cpus cpus_at_init;
constexpr int64_t nanoseconds_of_s = 1'000'000'000, nanoseconds_of_us = 1000;

struct Use {
    int64_t wall = 0, cpu = 0, switches = 0;
    int64_t children = 0;  // CPU time of those that have ended
    int64_t busy = 0;      // of all programs, on the CPUs of the process
};

int64_t ns_of(const timeval& time) noexcept {
    return time.tv_sec * nanoseconds_of_s + time.tv_usec * nanoseconds_of_us;
}

bool read_use(Use& use) noexcept {
    rusage usage{}, of_children{};
    timespec now{};
    if (getrusage(RUSAGE_SELF, &usage) != 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return false;
    getrusage(RUSAGE_CHILDREN, &of_children);
    use.wall = now.tv_sec * nanoseconds_of_s + now.tv_nsec;
    use.cpu = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
    use.children = ns_of(of_children.ru_utime) + ns_of(of_children.ru_stime);
    use.switches = usage.ru_nivcsw;
    use.busy = busy_time(cpus_at_init);
    return true;
}

Use at_init;
std::atomic<bool> has_begun{false};

}  // namespace

void begin_cpu_use() noexcept {
    if (has_begun.load(std::memory_order_relaxed)) return;
    cpus_at_init = Cpus::of_process();
    if (read_use(at_init)) has_begun.store(true, std::memory_order_release);
}

void describe_cpu_use() noexcept {
    Use now;
    if (!has_begun.load(std::memory_order_acquire) || !read_use(now)) return;
    constexpr size_t digits = 24, longest_list = 512;
    char wall[digits], cpu[digits], switches[digits], children[digits], busy[digits], cpus[longest_list];
    snprintf(wall, sizeof wall, "%lld", static_cast<long long>(now.wall - at_init.wall));
    snprintf(cpu, sizeof cpu, "%lld", static_cast<long long>(now.cpu - at_init.cpu));
    snprintf(switches, sizeof switches, "%lld", static_cast<long long>(now.switches - at_init.switches));
    const ovni_private_attribute attributes[] = {
        {"mpi.use.wall_ns", wall}, {"mpi.use.cpu_ns", cpu}, {"mpi.use.involuntary_switches", switches}};
    ovni_private_describe(attributes, std::size(attributes));
    if (at_init.busy < 0 || now.busy < at_init.busy || !write_list(cpus_at_init, cpus, sizeof cpus)) return;
    snprintf(busy, sizeof busy, "%lld", static_cast<long long>(now.busy - at_init.busy));
    snprintf(children, sizeof children, "%lld", static_cast<long long>(now.children - at_init.children));
    const ovni_private_attribute of_all_programs[] = {
        {"mpi.use.children_ns", children}, {"mpi.use.busy_ns", busy}, {"mpi.use.cpus", cpus}};
    ovni_private_describe(of_all_programs, std::size(of_all_programs));
}

}  // namespace ovni::mpi
