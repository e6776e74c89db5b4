#include "ring/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string_view>

#include "core/foreign_link.hpp"
#include "ring/descriptors.hpp"

namespace ovni::writer {
OwnFile& OwnFile::operator=(OwnFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(flags_, other.flags_);
    std::swap(fd_, other.fd_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    return *this;
}

namespace {

// False, with errno, for a link of another user on the way.
bool follow_trusted_links(std::string& path) {
    constexpr int most_links = 40;
    for (int links = 0; links < most_links; ++links) {
        const int link = open_above_standard(path.c_str(), O_PATH | O_NOFOLLOW);
        struct stat status {};
        char text[PATH_MAX];
        const bool is_link = link >= 0 && fstat(link, &status) == 0 && S_ISLNK(status.st_mode);
        const ssize_t size = is_link ? ::readlinkat(link, "", text, sizeof text) : -1;
        if (link >= 0) ::close(link);
        if (!is_link) return true;
        if (size < 0 || is_foreign_link(status)) break;
        const std::string_view target(text, static_cast<size_t>(size));
        path.resize(target.starts_with('/') ? 0 : path.rfind('/') + 1);
        path += target;
    }
    return errno = ELOOP, false;
}

}  // namespace

bool OwnFile::open(const std::string& path, int flags, mode_t mode, Links links) {
    close();
    path_ = path;
    if (links == Links::trusted && !follow_trusted_links(*path_)) return false;
    flags |= links == Links::follow ? 0 : O_NOFOLLOW;
    flags_ = flags & ~(O_CREAT | O_EXCL | O_TRUNC);
    return remember(open_above_standard(path_->c_str(), flags, mode));
}

// Only regular files are kept.
bool OwnFile::remember(int fd) {
    struct stat status {};
    if (fd < 0) return false;
    if (!is_marked(fd) || fstat(fd, &status) != 0) {
        // A pipe or directory, unless it is the program's.
        if ((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0) ::close(fd);
        errno = EINVAL;
        return false;
    }
    fd_ = fd;
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
    fd_ = -1;
    remember(open_above_standard(path_->c_str(), flags_));
    return fd_;
}

bool OwnFile::close() {
    int error = errno;
    bool ok = !is_ours() || ::close(fd_) == 0;
    fd_ = -1;
    if (ok) errno = error;
    return ok;
}

void OwnFile::close_for_others() const {
    if (is_ours()) ::close(fd_);
}

}  // namespace ovni::writer
