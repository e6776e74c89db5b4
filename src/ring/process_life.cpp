#include "ring/process_life.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ring/descriptors.hpp"

namespace ovni::writer {
namespace {

using Found = LifeLine::Found;

// /proc is there, and numbers processes as we do.
bool proc_is_ours() noexcept {
    char name[32];
    ssize_t length = ::readlink("/proc/self", name, sizeof name - 1);
    if (length <= 0) return false;
    name[length] = '\0';
    return atoi(name) == getpid();
}

uint64_t space_of(const char* process) noexcept {
    struct stat status {};
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/ns/pid", process);
    return ::stat(path, &status) == 0 ? status.st_ino : 0;
}

// /proc shows times of the reader's namespace. Rounded up: a normal start is never too late.
uint64_t ticks_ahead() noexcept {
    const int64_t ahead = own_time_offsets().boottime;
    if (ahead == 0) return 0;
    const int64_t tick = 1'000'000'000 / sysconf(_SC_CLK_TCK);
    return static_cast<uint64_t>(ahead / tick + (ahead % tick > 0));
}

// Rounding may differ between namespaces. No number is used anew so soon.
bool are_one_start(uint64_t one, uint64_t other) noexcept {
    return one - other + 1 <= 2;
}

// The processes of another namespace have other numbers here: they are all dead, or it is unknown.
std::optional<bool> somebody_lives_in(uint64_t space) noexcept {
    DIR* directory = opendir("/proc");
    if (!directory) return std::nullopt;
    bool all_known = true, found = false;
    while (const dirent* entry = readdir(directory)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        errno = 0;
        uint64_t other = space_of(entry->d_name);
        found = found || other == space;
        // The namespace of another user's process cannot be read.
        all_known = all_known && (other != 0 || errno == ENOENT || errno == ESRCH || errno == EACCES);
    }
    closedir(directory);
    if (found || !all_known) return std::nullopt;
    return false;
}

}  // namespace

LifeLine read_life_line(const char* path) noexcept {
    constexpr int state_at = 3, threads_at = 20, start_at = 22;  // fields of the file, from 1
    char text[1024];
    LifeLine line;
    auto absent = [&] { return errno == ENOENT || errno == ESRCH ? Found::no : Found::unknown; };
    int fd = open_above_standard(path, O_RDONLY);
    if (fd < 0) return line.found = absent(), line;
    ssize_t length = ::read(fd, text, sizeof text - 1);
    if (length < 0) line.found = absent();
    ::close(fd);
    if (length <= 0) return line;
    text[length] = '\0';
    // The name before it may hold anything.
    const char* at = strrchr(text, ')');
    for (int field = state_at; at && (at = strchr(at + 1, ' ')); ++field) {
        if (field == state_at) line.is_zombie = at[1] == 'Z' || at[1] == 'X' || at[1] == 'x';
        if (field == threads_at) line.threads = strtoull(at, nullptr, 10);
        if (field == start_at) break;
    }
    if (!at) return line;
    line.start = strtoull(at, nullptr, 10) - ticks_ahead();
    line.end = atoi(strrchr(at, ' '));  // the last field
    line.found = Found::yes;
    return line;
}

uint64_t start_of_process(pid_t pid) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (pid == getpid() && !proc_is_ours()) return 0;
    LifeLine line = read_life_line(path);
    // Other threads may outlive the first one.
    bool lives = line.found == Found::yes && !(line.is_zombie && line.threads <= 1);
    return lives ? line.start : 0;
}

uint64_t pid_space() noexcept {
    return space_of("self");
}

namespace {
constexpr pid_t nobody = 0, being_found = -1;
constinit std::atomic<pid_t> known{nobody};
constinit ProcessId first{};
constinit std::atomic<bool> are_offsets_known{false};
constinit std::atomic<int64_t> monotonic_ahead{0}, boottime_ahead{0};
}  // namespace

TimeOffsets own_time_offsets() noexcept {
    if (!are_offsets_known.load(std::memory_order_acquire)) {
        const TimeOffsets offsets = read_time_offsets();
        monotonic_ahead.store(offsets.monotonic, std::memory_order_relaxed);
        boottime_ahead.store(offsets.boottime, std::memory_order_relaxed);
        are_offsets_known.store(true, std::memory_order_release);
    }
    return {monotonic_ahead.load(std::memory_order_relaxed), boottime_ahead.load(std::memory_order_relaxed)};
}

void forget_own_process_id() noexcept {
    are_offsets_known.store(false, std::memory_order_release);
    known.store(nobody, std::memory_order_relaxed);
}

// Each thread that begins wants to know, so /proc is asked once.
ProcessId own_process_id() noexcept {
    const pid_t pid = getpid();
    if (known.load(std::memory_order_acquire) == pid) return first;
    const ProcessId own{pid, start_of_process(pid), pid_space()};
    pid_t expected = nobody;
    if (own.start != 0 && own.space != 0 && known.compare_exchange_strong(expected, being_found)) {
        first = own;
        known.store(pid, std::memory_order_release);
    }
    return own;
}

// The system itself knows, if the number is one of this namespace.
static bool is_number_of_nobody(pid_t pid) noexcept {
    return ::syscall(SYS_kill, pid, 0) != 0 && errno == ESRCH;
}

std::optional<bool> lives(const ProcessId& process) noexcept {
    const uint64_t here = own_process_id().space;
    bool is_ours = process.space == 0 || here == 0 || process.space == here;
    if (is_ours && process.pid == getpid()) {
        uint64_t own = start_of_process(getpid());
        if (own == 0 || process.start == 0) return std::nullopt;
        return are_one_start(own, process.start);
    }
    if (!is_ours) return somebody_lives_in(process.space);
    if (!proc_is_ours()) {
        const bool is_dead = process.space == here && is_number_of_nobody(process.pid);
        return is_dead ? std::optional(false) : std::nullopt;
    }
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", process.pid);
    LifeLine line = read_life_line(path);
    if (line.found == Found::unknown) return std::nullopt;
    if (line.found == Found::no || (line.is_zombie && line.threads <= 1)) return false;
    if (process.start == 0) return std::nullopt;
    return are_one_start(line.start, process.start);
}

bool may_map(const ProcessId& process, ino_t inode) noexcept {
    const uint64_t here = pid_space();
    if ((process.space != 0 && here != 0 && process.space != here) || !proc_is_ours()) return true;
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/maps", process.pid);
    const int fd = open_above_standard(path, O_RDONLY);
    FILE* maps = fd < 0 ? nullptr : fdopen(fd, "r");
    if (!maps) {
        if (fd >= 0) ::close(fd);
        return true;
    }
    char* line = nullptr;
    size_t room = 0;
    bool found = false, is_read = false;
    while (!found && getline(&line, &room, maps) > 0) {
        unsigned long mapped = 0;
        is_read = sscanf(line, "%*s %*s %*s %*s %lu", &mapped) == 1;
        found = mapped == inode;
    }
    const bool is_whole = is_read && !ferror(maps);
    free(line);
    fclose(maps);
    return found || !is_whole;
}

}  // namespace ovni::writer
