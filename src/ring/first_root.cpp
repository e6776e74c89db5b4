#include "ring/first_root.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace ovni::writer {
namespace {

constexpr int none = -1;
constinit std::atomic<int> first_root{none};
constinit std::atomic<dev_t> device{0};
constinit std::atomic<ino_t> inode{0};

// The program expects small numbers for its own files.
int out_of_the_way(int fd) noexcept {
    constexpr int high = 1000;
    if (fd < 0) return fd;
    for (int least : {high, STDERR_FILENO + 1})
        if (const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, least); moved >= 0) return ::close(fd), moved;
    ::close(fd);
    return none;
}

// The program may have given the number to another file, and some threads have descriptors of their own.
bool is_open(int fd) noexcept {
    struct stat status {};
    return fd >= 0 && ::fstat(fd, &status) == 0 && status.st_dev == device.load(std::memory_order_relaxed) &&
           status.st_ino == inode.load(std::memory_order_relaxed);
}

}  // namespace

PathAt from_first_root(const char* path) noexcept {
    const int fd = first_root.load(std::memory_order_acquire);
    if (fd < 0 || *path != '/') return {AT_FDCWD, path};
    const int before = errno;
    const bool is_there = is_open(fd);
    errno = before;
    if (!is_there) return {AT_FDCWD, path};
    while (*path == '/') ++path;
    return {fd, *path ? path : "."};
}

bool keep_first_root() noexcept {
    if (is_open(first_root.load(std::memory_order_acquire))) return false;
    struct stat status {};
    const int fd = out_of_the_way(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0 || ::fstat(fd, &status) != 0) return false;
    device.store(status.st_dev, std::memory_order_relaxed);
    inode.store(status.st_ino, std::memory_order_relaxed);
    first_root.store(fd, std::memory_order_release);
    return true;
}

void leave_first_root() noexcept {
    const int fd = first_root.exchange(none, std::memory_order_acq_rel);
    if (is_open(fd)) ::close(fd);
}

int rename_from_first_root(const char* from, const char* to) noexcept {
    const PathAt here = from_first_root(from), there = from_first_root(to);
    if (here.directory == AT_FDCWD && there.directory == AT_FDCWD) return ::rename(from, to);
    return ::renameat(here.directory, here.path, there.directory, there.path);
}

// A thread that begins after chroot() goes back, if it may. Its working directory holds up no unmount.
void part_from_root() noexcept {
    if (::unshare(CLONE_FS) != 0) return;
    const int fd = first_root.load(std::memory_order_acquire);
    if (is_open(fd) && ::syscall(SYS_fchdir, fd) == 0) ::syscall(SYS_chroot, ".");
    ::syscall(SYS_chdir, "/");
}

}  // namespace ovni::writer
