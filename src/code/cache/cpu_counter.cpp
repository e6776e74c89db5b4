#include "code/cache/cpu_counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>

#include "code/system_call.hpp"

namespace ovni::code {

namespace {

constexpr int code_of_counter = 6;  // TRAP_PERF
constexpr uint64_t counter_mark = 0x6f766e69;

int open_counter(Counter what, uint64_t count) noexcept {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = what == Counter::time ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
    wanted.config =
        what == Counter::time ? uint64_t{PERF_COUNT_SW_TASK_CLOCK} : uint64_t{PERF_COUNT_HW_INSTRUCTIONS};
    wanted.sample_period = count;
    wanted.disabled = 1;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.remove_on_exec = 1;
    wanted.sigtrap = 1;
    wanted.sig_data = counter_mark;
    constexpr int this_thread = 0, any_processor = -1, no_group = -1;
    return static_cast<int>(system_call(SYS_perf_event_open, &wanted, this_thread, any_processor, no_group,
                                        PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

Counter counter_named(const char* name) noexcept {
    if (strcmp(name, "processor") == 0) return Counter::processor;
    return strcmp(name, "time") == 0 ? Counter::time : Counter::cache;
}

int CpuCounter::start(Counter what, uint64_t count) noexcept {
    // The system drops a signal of time that comes while the thread is in a system call.
    constexpr uint64_t millisecond = 1'000'000;
    wanted_ = count;
    if (what == Counter::time) count = std::min(count, millisecond);
    if (!has_file_) {
        const int file = open_counter(what, count);
        if (file < 0) return -file;
        file_ = file;
        has_file_ = true;
    }
    const long error = system_call(SYS_ioctl, file_, PERF_EVENT_IOC_RESET, 0) |
                       system_call(SYS_ioctl, file_, PERF_EVENT_IOC_PERIOD, &count) |
                       system_call(SYS_ioctl, file_, PERF_EVENT_IOC_ENABLE, 0);
    is_running_ = error == 0;
    return static_cast<int>(-error);
}

uint64_t CpuCounter::read() const noexcept {
    uint64_t count = 0;
    return system_call(SYS_read, file_, &count, sizeof count) == sizeof count ? count : 0;
}

bool CpuCounter::is_over() const noexcept {
    return is_running_ && read() >= wanted_;
}

uint64_t CpuCounter::stop() noexcept {
    if (!is_running_) return 0;
    is_running_ = false;
    system_call(SYS_ioctl, file_, PERF_EVENT_IOC_DISABLE, 0);
    return read();
}

void CpuCounter::close() noexcept {
    if (has_file_) system_call(SYS_close, file_);
    has_file_ = is_running_ = false;
}

bool is_from_counter(const siginfo_t& info) noexcept {
    // The system puts the mark where other signals have a value.
    return info.si_signo == SIGTRAP && info.si_code == code_of_counter &&
           reinterpret_cast<uint64_t>(info.si_value.sival_ptr) == counter_mark;
}

}  // namespace ovni::code
