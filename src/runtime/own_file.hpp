// An open file in a program that may close all descriptors and give their numbers to files of its own: each
// use asks first whether the descriptor still is what was opened, and opens it again where it is not. What is
// not ours is neither written nor closed.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace ovni {

class OwnFile {
 public:
    OwnFile() = default;
    OwnFile(OwnFile&& other) noexcept { *this = std::move(other); }
    OwnFile& operator=(OwnFile&& other) noexcept;
    ~OwnFile() { close(); }

    // False with errno. `flags` as of open(2).
    bool open(const std::string& path, int flags, mode_t mode);
    bool is_open() const { return fd_ >= 0; }
    // The descriptor, which is ours now; opened again, but never made again. -1 with errno.
    int get();
    // The same where the file may not be opened again, because something of it would be lost, a lock say.
    bool is_ours() const;
    int descriptor() const { return fd_; }
    void close();

 private:
    bool remember(int fd);

    std::string path_;
    int flags_ = 0;
    int fd_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace ovni
