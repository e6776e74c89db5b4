// Whether a thread of any process still runs, by its line in /proc.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/shared_reader.hpp"

namespace ovni {

namespace {

// The text behind the name of the program, which may hold anything: "S ppid ...".
const char* behind_name(const char* stat) {
    const char* end = std::strrchr(stat, ')');
    return end == nullptr || end[1] == '\0' ? nullptr : end + 2;
}

// In ns of CLOCK_BOOTTIME, rounded down to a tick.
uint64_t start_time(const char* fields) {
    constexpr int start_field = 22, first_field = 3;
    for (int field = first_field; field < start_field; ++field) {
        fields = std::strchr(fields, ' ');
        if (fields == nullptr) return 0;
        ++fields;
    }
    const long ticks = sysconf(_SC_CLK_TCK);
    return std::strtoull(fields, nullptr, 10) * (1'000'000'000 / static_cast<uint64_t>(ticks));
}

}  // namespace

bool thread_lives(uint32_t pid, uint32_t tid, uint64_t at_ns) noexcept {
    char text[1024];
    std::snprintf(text, sizeof text, "/proc/%u/task/%u/stat", pid, tid);
    int fd = ::open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT && errno != ESRCH;
    ssize_t length = ::read(fd, text, sizeof text - 1);
    int error = errno;
    ::close(fd);
    if (length <= 0) return length < 0 && error != ESRCH;
    text[length] = '\0';
    const char* fields = behind_name(text);
    if (fields == nullptr) return true;
    if (*fields == 'Z' || *fields == 'X' || *fields == 'x') return false;
    return at_ns == 0 || start_time(fields) <= at_ns;
}

}  // namespace ovni
