#include "runtime/posix_io.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace ovni {
namespace {

// The default action of SIGXFSZ would end the program.
void discard_file_size_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    timespec at_once{};
    while (sigtimedwait(&set, nullptr, &at_once) == SIGXFSZ) continue;
}

bool close_file(int fd, bool ok) {
    int error = errno;
    if (::close(fd) != 0 && ok) return false;
    errno = error;
    return ok;
}

bool write_file(const std::string& path, const std::string& text) {
    int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    return close_file(fd, write_at(fd, text.data(), text.size(), 0) == text.size() &&
                              ::ftruncate(fd, static_cast<off_t>(text.size())) == 0);
}

// The file has room for it, or gets it, before its first byte changes.
bool write_over(const std::string& path, const std::string& text) {
    constexpr uint64_t block = 512;  // of st_blocks
    int error = errno;
    struct stat status {};
    int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    bool fits = fd >= 0 && fstat(fd, &status) == 0 &&
                (text.size() <= block * static_cast<uint64_t>(status.st_blocks) ||
                 ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(text.size())) == 0);
    bool ok = fits && write_at(fd, text.data(), text.size(), 0) == text.size() &&
              ::ftruncate(fd, static_cast<off_t>(text.size())) == 0;
    if (fd >= 0) ::close(fd);
    if (!ok) errno = error;
    return ok;
}

// With its time: readers ask which of the files of a stream is the newer one.
bool copy_bytes(int from, int to) {
    struct stat status {};
    char block[65536];
    for (uint64_t at = 0;;) {
        ssize_t n = ::read(from, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) break;
        auto count = static_cast<size_t>(n);
        if (write_at(to, block, count, at) < count) return false;
        at += count;
    }
    if (fstat(from, &status) == 0) {
        const timespec times[] = {status.st_atim, status.st_mtim};
        futimens(to, times);
    }
    return true;
}

}  // namespace

size_t write_at(int fd, const void* bytes, size_t count, uint64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t n = ::pwrite(fd, static_cast<const char*>(bytes) + done, count - done,
                             static_cast<off_t>(offset + done));
        if (n > 0) {
            done += static_cast<size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            int error = n == 0 ? EIO : errno;
            if (error == EFBIG) discard_file_size_signal();
            errno = error;
            break;
        }
    }
    return done;
}

int allocate(int fd, uint64_t bytes) {
    int error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    if (error == EFBIG) discard_file_size_signal();
    return error;
}

bool replace_file(const std::string& path, const std::string& text) {
    constexpr int attempts = 3;  // others write such files, too, for a moment
    std::string beside = path + being_written;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (write_file(beside, text) && ::rename(beside.c_str(), path.c_str()) == 0) return true;
        int error = errno;
        ::unlink(beside.c_str());
        errno = error;
        if (write_over(path, text)) return true;
    }
    return false;
}

void reserve_file(const std::string& path, size_t bytes) {
    int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (posix_fallocate(fd, 0, static_cast<off_t>(bytes)) == EFBIG) discard_file_size_signal();
    ::close(fd);
}

std::optional<std::string> read_text(const std::string& path) {
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    std::string text;
    char block[16384];
    ssize_t n = 0;
    while ((n = ::read(fd, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) text.append(block, static_cast<size_t>(n));
    ::close(fd);
    if (n < 0) return std::nullopt;
    return text;
}

bool copy_file(const std::string& from, const std::string& to) {
    int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0) return false;
    int out = ::open(to.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    bool ok = out >= 0 && close_file(out, copy_bytes(in, out));
    return close_file(in, ok);
}

}  // namespace ovni
