// Descriptors of the library next to those of the program, which may close or take any number.
#pragma once

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "ring/first_root.hpp"

namespace ovni::writer {

// True for a file that the library has opened: other code does not open regular files with O_NONBLOCK.
// Another thread may have reused the number meanwhile.
inline bool is_marked(int fd) noexcept {
    struct stat status {};
    int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) != 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// Never returns a standard descriptor, because these are the program's, even if closed. Never blocks, even if
// the path is a pipe.
inline int open_above_standard(const char* path, int flags, mode_t mode = 0) noexcept {
    constexpr int most_attempts = 10;
    for (int attempt = 1;; ++attempt, flags &= ~O_EXCL) {
        const PathAt at = from_first_root(path);
        int fd = ::openat(at.directory, at.path, flags | O_CLOEXEC | O_NONBLOCK, mode);
        if (fd < 0 || fd > STDERR_FILENO) return fd;
        int above = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
        if (is_marked(fd)) ::close(fd);
        errno = error;
        if (above < 0 || is_marked(above)) return above;
        ::close(above);
        if (attempt == most_attempts) return errno = EBADF, -1;
    }
}

// Gives the calling thread its own descriptor table with stderr and `kept`. False if the system cannot: then
// the table is still shared.
inline bool part_from_descriptors(int kept) noexcept {
#if defined __SANITIZE_THREAD__
    return static_cast<void>(kept), false;  // it takes equal numbers in two threads for one file
#else
    auto close_all = [](int from, int to, int flags) {
        return from > to ||
               ::syscall(SYS_close_range, static_cast<unsigned>(from), static_cast<unsigned>(to), flags) == 0;
    };
    constexpr int last = ~0U >> 1;
    return close_all(STDIN_FILENO, STDOUT_FILENO, CLOSE_RANGE_UNSHARE) &&
           close_all(STDERR_FILENO + 1, kept - 1, 0) && close_all(kept + 1, last, 0);
#endif
}

}  // namespace ovni::writer
