// A descriptor of anything but a regular file (ring/own_file.hpp), for example of a socket, in a program that
// may close all descriptors and reuse their numbers. Each use first checks that the descriptor still is the
// one that was opened. A descriptor that is not ours is neither used nor closed.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace ovni::region {

class OwnDescriptor {
 public:
    constexpr OwnDescriptor() = default;
    // Takes a new descriptor, or -1. Moves it to a high number, as programs expect low ones for their own
    // files.
    explicit OwnDescriptor(int descriptor) noexcept {
        for (int least : {200, STDERR_FILENO + 1}) {
            if (descriptor < 0 || descriptor >= least) break;
            int above = ::fcntl(descriptor, F_DUPFD_CLOEXEC, least);
            if (above < 0) continue;
            ::close(descriptor);
            descriptor = above;
        }
        struct stat status {};
        if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return;
        descriptor_ = descriptor;
        device_ = status.st_dev;
        inode_ = status.st_ino;
    }
    OwnDescriptor(OwnDescriptor&& other) noexcept { *this = std::move(other); }
    OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(device_, other.device_);
        std::swap(inode_, other.inode_);
        return *this;
    }
    ~OwnDescriptor() { close(); }

    bool is_ours() const noexcept {
        struct stat status {};
        return descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0 && status.st_dev == device_ &&
               status.st_ino == inode_;
    }
    // -1 if there is none, or if it is no longer ours.
    int get() const noexcept { return is_ours() ? descriptor_ : -1; }
    void close() noexcept {
        if (is_ours()) ::close(descriptor_);
        forget();
    }
    void forget() noexcept { descriptor_ = -1; }

 private:
    int descriptor_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace ovni::region
