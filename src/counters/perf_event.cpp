#include "counters/perf_event.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace ovni::counters {

namespace {

// Nobody else sets a signal like that for a descriptor; none is ever sent.
int mark_of_counters() noexcept {
    return SIGRTMAX - 3;
}

// Programs expect low numbers for their own files. A program with few descriptors keeps three quarters.
int moved_up(int descriptor) noexcept {
    constexpr int least = 200;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = RLIM_INFINITY;
    const rlim_t most = limit.rlim_cur == RLIM_INFINITY ? INT32_MAX : limit.rlim_cur / 4 * 3;
    int above = ::fcntl(descriptor, F_DUPFD_CLOEXEC, most > least ? least : 3);
    int error = errno;
    if (above >= 0 && static_cast<rlim_t>(above) >= most) {
        ::close(above);
        above = -1;
        error = EMFILE;
    }
    ::close(descriptor);
    errno = error;
    return above;
}

}  // namespace

int open_counter(const CounterRow& row, int group) noexcept {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = row.type;
    attributes.config = row.config;
    attributes.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.disabled = group == no_group;
    attributes.exclude_kernel = row.kind == CounterKind::hardware;
    attributes.exclude_hv = row.kind == CounterKind::hardware;
    constexpr int this_thread = 0, any_cpu = -1;
    auto descriptor = static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, this_thread, any_cpu, group, PERF_FLAG_FD_CLOEXEC));
    if (descriptor < 0) return -1;
    descriptor = moved_up(descriptor);
    if (descriptor >= 0) ::fcntl(descriptor, F_SETSIG, mark_of_counters());
    return descriptor;
}

void enable_group(int leader) noexcept {
    ::ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

bool is_counter(int descriptor) noexcept {
    return ::fcntl(descriptor, F_GETSIG) == mark_of_counters();
}

const char* cause_of(const CounterRow& row, int error, bool is_in_group) noexcept {
    switch (error) {
        case EACCES:
            return "the setting kernel.perf_event_paranoid of this machine forbids it";
        case EPERM:
        case ENOSYS:
            return "this machine or container forbids perf_event_open";
        case EMFILE:
        case ENFILE:
            return "descriptors are short";
        case ENOSPC:
            return "the counters of the processor are taken";
        case EINVAL:
            if (is_in_group) return "the processor cannot count it next to the others";
            [[fallthrough]];
        default:
            return row.kind == CounterKind::hardware ? "this machine does not count it"
                                                     : "this system does not count it";
    }
}

bool leads_group(const CounterRow& row) noexcept {
    return row.type == PERF_TYPE_SOFTWARE &&
           (row.config == PERF_COUNT_SW_TASK_CLOCK || row.config == PERF_COUNT_SW_CPU_CLOCK);
}

}  // namespace ovni::counters
