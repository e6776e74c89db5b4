// Whether a thread of any process still runs, by its line in /proc.
#include <unistd.h>

#include <cstdio>

#include "drain/shared_reader.hpp"
#include "ring/process_life.hpp"

namespace ovni::writer {

// In ns of the machine's CLOCK_BOOTTIME, rounded down to a tick.
bool thread_lives(uint32_t pid, uint32_t tid, uint64_t at_ns) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, tid);
    LifeLine line = read_life_line(path);
    if (line.found != LifeLine::Found::yes) return line.found == LifeLine::Found::unknown;
    const uint64_t tick = 1'000'000'000 / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
    return !line.is_zombie && (at_ns == 0 || line.start * tick <= at_ns);
}

}  // namespace ovni::writer
