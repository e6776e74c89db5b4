// Whether processes and threads live, by their lines in /proc. A process counts as alive unless /proc proves
// it dead, because descriptors may be exhausted, or /proc may show another namespace. Without /proc, an
// unused pid proves it, too, if both processes lack /proc or are known to be in one namespace.
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
    // `start`: in ticks since the boot of the machine, independent of the time namespace; rounded down.
    uint64_t threads = 0, start = 0;
    int end = 0;  // of a zombie: its status as from wait()
};
LifeLine read_life_line(const char* path) noexcept;

// The offsets of the calling process, read once.
TimeOffsets own_time_offsets() noexcept;

// When the process began, in ticks since boot; 0 if there is no such process, or if unknown.
uint64_t start_of_process(pid_t pid) noexcept;

// The pid namespace of the calling process; 0: unknown.
uint64_t pid_space() noexcept;
constexpr uint64_t first_pid_space = 0xeffffffc;  // Linux: PROC_PID_INIT_INO

// Identifies a process by its pid, when it began, and its pid namespace. 0: unknown.
struct ProcessId {
    pid_t pid;
    uint64_t start, space;
    auto operator<=>(const ProcessId&) const = default;
};
ProcessId own_process_id() noexcept;
// Call in a fork's child: in a new namespace it may have its parent's pid, and other clocks.
void forget_own_process_id() noexcept;

// Empty if unknown.
std::optional<bool> lives(const ProcessId& process) noexcept;
inline bool may_live(const ProcessId& process) noexcept {
    return lives(process).value_or(true);
}

// False if the process is known to map no page of the file with this inode, as after an exec.
bool may_map(const ProcessId& process, ino_t inode) noexcept;

}  // namespace ovni::writer
