// Waiting on a word of memory that several processes share. Neither call is a cancellation point; errno is
// kept.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace ovni::writer {

// Returns when woken, after `nanoseconds`, if the word is not `expected`, or spuriously.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, int64_t nanoseconds) noexcept {
    int kept = errno;
    timespec timeout{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
    errno = kept;
}

inline void futex_wake_all(std::atomic<uint32_t>& word) noexcept {
    int kept = errno;
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    errno = kept;
}

}  // namespace ovni::writer
