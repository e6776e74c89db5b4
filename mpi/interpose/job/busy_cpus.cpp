#include "mpi/interpose/job/busy_cpus.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ovni::mpi {

namespace {

// The lines of a file, of which the first 200 bytes are kept.
class Lines {
 public:
    explicit Lines(const char* path) noexcept : file_(open(path, O_RDONLY | O_CLOEXEC)) {}
    ~Lines() {
        if (file_ >= 0) close(file_);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    // Null at the end.
    const char* next() noexcept {
        size_t length = 0;
        for (char c = 0; c != '\n';) {
            if (at_ == size_ && !fill()) return nullptr;
            c = bytes_[at_++];
            if (c != '\n' && length < sizeof line_ - 1) line_[length++] = c;
        }
        line_[length] = '\0';
        return line_;
    }

    bool has_failed() const noexcept { return has_failed_; }

 private:
    bool fill() noexcept {
        const ssize_t got = read(file_, bytes_, sizeof bytes_);
        has_failed_ = got < 0;
        at_ = 0;
        size_ = static_cast<size_t>(std::max<ssize_t>(got, 0));
        return size_ > 0;
    }

    int file_;
    char bytes_[4096];
    size_t at_ = 0, size_ = 0;
    char line_[200];
    bool has_failed_ = false;
};

// user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)). Guests are in user.
int64_t busy_ticks(const char* numbers) noexcept {
    constexpr int idle = 3, iowait = 4, columns = 8;
    int64_t busy = 0;
    for (int column = 0; column < columns; ++column) {
        char* end = nullptr;
        const long long ticks = strtoll(numbers, &end, 10);
        if (end == numbers) break;
        if (column != idle && column != iowait) busy += ticks;
        numbers = end;
    }
    return busy;
}

}  // namespace

int64_t busy_time(const Cpus& cpus) noexcept {
    const long ticks_of_s = sysconf(_SC_CLK_TCK);
    if (ticks_of_s <= 0) return -1;
    int64_t busy = -1;
    Lines lines("/proc/stat");
    while (const char* line = lines.next()) {
        constexpr size_t word = 3;
        if (strncmp(line, "cpu", word) != 0) break;
        // The first line has the sums.
        if (line[word] < '0' || line[word] > '9') continue;
        char* numbers = nullptr;
        const long cpu = strtol(line + word, &numbers, 10);
        if (!cpus.has(cpu)) continue;
        busy = std::max<int64_t>(busy, 0) + busy_ticks(numbers);
    }
    constexpr int64_t nanoseconds_of_s = 1'000'000'000;
    return busy < 0 || lines.has_failed() ? -1 : busy * (nanoseconds_of_s / ticks_of_s);
}

bool write_list(const Cpus& cpus, char* text, size_t room) noexcept {
    size_t length = 0;
    *text = '\0';
    for (long cpu = 0; cpu < Cpus::most; ++cpu) {
        if (!cpus.has(cpu)) continue;
        const long first = cpu;
        while (cpus.has(cpu + 1)) ++cpu;
        const char* comma = length > 0 ? "," : "";
        const int size = first == cpu
                             ? snprintf(text + length, room - length, "%s%ld", comma, first)
                             : snprintf(text + length, room - length, "%s%ld-%ld", comma, first, cpu);
        if (size < 0 || static_cast<size_t>(size) >= room - length) return false;
        length += static_cast<size_t>(size);
    }
    return length > 0;
}

}  // namespace ovni::mpi
