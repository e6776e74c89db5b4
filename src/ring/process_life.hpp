// Whether processes and threads live, by their lines in /proc. Where that cannot be asked (no descriptor is
// free, /proc is not mounted or that of others) nobody is dead.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>

namespace ovni::writer {

// What /proc/PID/stat says, or that of a thread.
struct LifeLine {
    enum class Found { yes, no, unknown } found = Found::unknown;
    bool is_zombie = false;
    uint64_t threads = 0, start = 0;  // the latter in ticks since boot
};
LifeLine read_life_line(const char* path) noexcept;

// When the process began, in ticks since boot; 0 where there is no such process, or nobody knows.
uint64_t start_of_process(pid_t pid) noexcept;

// The namespace in which the calling process has its number; 0 where that is unknown.
uint64_t pid_space() noexcept;
constexpr uint64_t first_pid_space = 0xeffffffc;  // Linux: PROC_PID_INIT_INO

// Who a process is: its number and when it began, and the namespace of both; what is not known is 0.
struct ProcessId {
    pid_t pid;
    uint64_t start, space;
    auto operator<=>(const ProcessId&) const = default;
};
ProcessId own_process_id() noexcept;

// Nothing where nobody can tell.
std::optional<bool> lives(const ProcessId& process) noexcept;
inline bool may_live(const ProcessId& process) noexcept {
    return lives(process).value_or(true);
}

}  // namespace ovni::writer
