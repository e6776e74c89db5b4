#include "runtime/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ovni {

OwnFile& OwnFile::operator=(OwnFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(flags_, other.flags_);
    std::swap(fd_, other.fd_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    return *this;
}

bool OwnFile::open(const std::string& path, int flags, mode_t mode) {
    close();
    path_ = path;
    flags_ = flags & ~(O_CREAT | O_EXCL | O_TRUNC);
    return remember(::open(path.c_str(), flags | O_CLOEXEC, mode));
}

bool OwnFile::remember(int fd) {
    struct stat status {};
    fd_ = fd;
    if (fd < 0 || fstat(fd, &status) != 0) return false;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    return true;
}

bool OwnFile::is_ours() const {
    struct stat status {};
    return fd_ >= 0 && fstat(fd_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int OwnFile::get() {
    if (fd_ < 0 || is_ours()) return fd_;
    remember(::open(path_.c_str(), flags_ | O_CLOEXEC));
    return fd_;
}

void OwnFile::close() {
    int error = errno;
    if (is_ours()) ::close(fd_);
    fd_ = -1;
    errno = error;
}

}  // namespace ovni
