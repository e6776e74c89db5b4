// Offsets by which the time namespace of the calling process sets its clocks ahead of those of the machine.
// Offsets of a namespace never change once it has processes. Linux has them in /proc/self/timens_offsets, one
// clock per line: "monotonic           5         0", s and ns.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace ovni {

struct TimeOffsets {
    int64_t monotonic = 0, boottime = 0;  // ns
    bool operator==(const TimeOffsets&) const = default;
};

inline int64_t offset_in(const char* text, const char* clock) noexcept {
    constexpr int64_t second = 1'000'000'000;
    const char* line = strstr(text, clock);
    long long s = 0, ns = 0;
    if (!line || sscanf(line + strlen(clock), "%lld %lld", &s, &ns) != 2) return 0;
    return int64_t{s} * second + ns;
}

// The file has the offsets for later children. These are in another namespace if the process has called
// unshare(); then false, and the offsets count as 0.
inline bool children_get_our_time() noexcept {
    struct stat own {
    }, of_children{};
    return ::stat("/proc/self/ns/time", &own) == 0 &&
           ::stat("/proc/self/ns/time_for_children", &of_children) == 0 && own.st_ino == of_children.st_ino;
}

// All 0 without time namespaces, or without /proc. Preserves errno.
inline TimeOffsets read_time_offsets() noexcept {
    const int saved_errno = errno;
    char text[256] = {};
    const int file = ::open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (::read(file, text, sizeof text - 1) < 0) text[0] = 0;
        ::close(file);
    }
    TimeOffsets offsets{offset_in(text, "monotonic"), offset_in(text, "boottime")};
    if (offsets != TimeOffsets{} && !children_get_our_time()) offsets = {};
    errno = saved_errno;
    return offsets;
}

}  // namespace ovni
