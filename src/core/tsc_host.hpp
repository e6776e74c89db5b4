// Whether this machine's time stamp counter can be used as a clock: the processor reports an invariant TSC,
// and the kernel has not replaced it by a slower device.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ovni/tsc_clock.hpp"

namespace ovni {

inline bool processor_has_invariant_tsc() noexcept {
#if defined(__x86_64__)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 8 & 1) != 0;
#else
    return false;
#endif
}

// True if unknown.
inline bool kernel_trusts_tsc() noexcept {
    int saved_errno = errno;
    char name[32] = {};
    int fd = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (::read(fd, name, sizeof name - 1) < 0) name[0] = 0;
        ::close(fd);
    }
    errno = saved_errno;
    for (const char* fallback : {"hpet", "acpi_pm", "jiffies", "refined-jiffies"}) {
        size_t length = std::strlen(fallback);
        if (std::strncmp(name, fallback, length) == 0) return false;
    }
    return true;
}

// The clocks of this machine, for the writer of a ClockPage.
struct DisciplineClocks : HostClocks {
    // NOLINTNEXTLINE(google-explicit-constructor): {} is the clocks of this process
    DisciplineClocks(int64_t ahead_ns = 0) noexcept : ahead(ahead_ns) {}
    int64_t monotonic_ns() const noexcept { return HostClocks::monotonic_ns() + ahead; }
    static bool tsc_is_usable() noexcept { return processor_has_invariant_tsc() && kernel_trusts_tsc(); }

    int64_t ahead;  // ns by which the clock of the page is ahead of CLOCK_MONOTONIC of this process
};

}  // namespace ovni
