/* Functions of the C library that hand on to the kernel, for the libraries that are loaded into the program:
 * their calls bind to these, and so pass by what other preloaded libraries make of such functions. Those look
 * at what is not the program's, count it, give it false times, or are over when our streams end. None of
 * these is a point at which a thread is cancelled. rename() and what names of users and hosts need stay those
 * of the C library. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

int fcntl(int fd, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    return (int)syscall(SYS_ioctl, fd, request, argument);
}

int close(int fd) {
    return (int)syscall(SYS_close, fd);
}

ssize_t read(int fd, void* to, size_t size) {
    return syscall(SYS_read, fd, to, size);
}

ssize_t write(int fd, const void* from, size_t size) {
    return syscall(SYS_write, fd, from, size);
}

ssize_t pread(int fd, void* to, size_t size, off_t at) {
    return syscall(SYS_pread64, fd, to, size, at);
}

ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
    return syscall(SYS_pwrite64, fd, from, size, at);
}

int fstat(int fd, struct stat* facts) {
    return (int)syscall(SYS_fstat, fd, facts);
}

int stat(const char* restrict path, struct stat* restrict facts) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, facts, 0);
}

int lstat(const char* restrict path, struct stat* restrict facts) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, facts, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int directory, const char* restrict path, struct stat* restrict facts, int flags) {
    return (int)syscall(SYS_newfstatat, directory, path, facts, flags);
}

int access(const char* path, int how) {
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, how);
}

int mkdir(const char* path, mode_t mode) {
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int mkdirat(int directory, const char* path, mode_t mode) {
    return (int)syscall(SYS_mkdirat, directory, path, mode);
}

int unlink(const char* path) {
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int directory, const char* path, int flags) {
    return (int)syscall(SYS_unlinkat, directory, path, flags);
}

int rmdir(const char* path) {
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int symlink(const char* target, const char* path) {
    return (int)syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

int symlinkat(const char* target, int directory, const char* path) {
    return (int)syscall(SYS_symlinkat, target, directory, path);
}

ssize_t readlink(const char* restrict path, char* restrict to, size_t size) {
    return syscall(SYS_readlinkat, AT_FDCWD, path, to, size);
}

int chmod(const char* path, mode_t mode) {
    return (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
}

int ftruncate(int fd, off_t size) {
    return (int)syscall(SYS_ftruncate, fd, size);
}

int fallocate(int fd, int how, off_t at, off_t size) {
    return (int)syscall(SYS_fallocate, fd, how, at, size);
}

int futimens(int fd, const struct timespec times[2]) {
    return (int)syscall(SYS_utimensat, fd, NULL, times, 0);
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t at) {
    return (void*)syscall(SYS_mmap, address, size, protection, flags, fd, at);
}

int munmap(void* address, size_t size) {
    return (int)syscall(SYS_munmap, address, size);
}

int mprotect(void* address, size_t size, int protection) {
    return (int)syscall(SYS_mprotect, address, size, protection);
}

int madvise(void* address, size_t size, int advice) {
    return (int)syscall(SYS_madvise, address, size, advice);
}

pid_t getpid(void) {
    return (pid_t)syscall(SYS_getpid);
}

uid_t geteuid(void) {
    return (uid_t)syscall(SYS_geteuid);
}

int nanosleep(const struct timespec* time, struct timespec* rest) {
    return (int)syscall(SYS_nanosleep, time, rest);
}

/* The kernel writes the time that is left to its argument. */
int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* timeout, const sigset_t* mask) {
    struct timespec left;
    if (timeout) left = *timeout;
    return (int)syscall(SYS_ppoll, fds, count, timeout ? &left : NULL, mask, mask ? _NSIG / 8 : 0);
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
    const struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
    return ppoll(fds, count, timeout < 0 ? NULL : &time, NULL);
}
