#include "counters/memory_use.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ovni::counters {

namespace {

// Not by the functions of the C library, where a thread can be cancelled. That of /proc/self is empty once
// the main thread has ended.
long read_statm(char* text, size_t size) noexcept {
    const long file = ::syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const long got = ::syscall(SYS_read, file, text, size);
    ::syscall(SYS_close, file);
    return got;
}

}  // namespace

bool read_memory(MemoryUse& use) noexcept {
    char text[128];
    const long size = read_statm(text, sizeof text);
    if (size <= 0) return false;
    std::string_view rest(text, static_cast<size_t>(size));
    const size_t blank = rest.find(' ');
    if (blank == rest.npos) return false;
    rest.remove_prefix(blank + 1);
    uint64_t pages = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), pages).ec != std::errc() || pages == 0)
        return false;
    use.resident = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    constexpr uint64_t kib = 1024;
    use.highest = std::max(use.resident, static_cast<uint64_t>(usage.ru_maxrss) * kib);
    return true;
}

}  // namespace ovni::counters
