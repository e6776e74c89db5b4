// Whether processes and threads live, by their lines in /proc. A process counts as alive unless /proc proves
// it dead: no descriptor may be free, /proc may show another namespace. Without /proc, a number that nobody
// has proves it, too, if both processes lack /proc or are known to be of one namespace.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>

#include "core/time_offsets.hpp"

namespace ovni::writer {

// The line /proc/PID/stat, or /proc/PID/task/TID/stat.
struct LifeLine {
    enum class Found { yes, no, unknown } found = Found::unknown;
    bool is_zombie = false;
    // In ticks since the boot of the machine, whatever the time namespace says; rounded down.
    uint64_t threads = 0, start = 0;
    int end = 0;  // of a zombie, as wait() has it
};
LifeLine read_life_line(const char* path) noexcept;

// Those of the calling process, read once.
TimeOffsets own_time_offsets() noexcept;

// When the process began, in ticks since boot; 0 if there is none, or nobody knows.
uint64_t start_of_process(pid_t pid) noexcept;

// The namespace in which the calling process has its number; 0: unknown.
uint64_t pid_space() noexcept;
constexpr uint64_t first_pid_space = 0xeffffffc;  // Linux: PROC_PID_INIT_INO

// Identifies a process: its number, when it began, and the namespace of the number. Unknown is 0.
struct ProcessId {
    pid_t pid;
    uint64_t start, space;
    auto operator<=>(const ProcessId&) const = default;
};
ProcessId own_process_id() noexcept;
// Call in a child: a namespace may give it the number of its parent, and other clocks.
void forget_own_process_id() noexcept;

// Nothing if nobody can say.
std::optional<bool> lives(const ProcessId& process) noexcept;
inline bool may_live(const ProcessId& process) noexcept {
    return lives(process).value_or(true);
}

// False if the process is known to have no page of the file with this inode: an exec takes all of them.
bool may_map(const ProcessId& process, ino_t inode) noexcept;

}  // namespace ovni::writer
