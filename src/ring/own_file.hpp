// An open regular file in a program that may close all descriptors and give their numbers to files of its
// own: each use asks first whether the descriptor still is what was opened, and opens it again where it is
// not. What is not ours is neither written nor closed, and the standard descriptors are never ours. The only
// way in which the library opens files.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace ovni::writer {

class OwnFile {
 public:
    OwnFile() = default;
    OwnFile(OwnFile&& other) noexcept { *this = std::move(other); }
    OwnFile& operator=(OwnFile&& other) noexcept;
    ~OwnFile() { close(); }

    // Is a symbolic link an error, as the file may be somebody else's?
    enum class Links { refuse, follow };

    // False with errno. `flags` as of open(2).
    bool open(const std::string& path, int flags, mode_t mode = 0644, Links links = Links::refuse);
    bool is_open() const { return fd_ >= 0; }
    // The descriptor, which is ours now; opened again, but never made again. -1 with errno.
    int get();
    // The same where the file may not be opened again, because something of it would be lost, a lock say.
    bool is_ours() const;
    int descriptor() const { return fd_; }
    // False with errno where something of it could not be written.
    bool close();
    // In a thread with other descriptors than the one that goes on with the file.
    void close_for_others() const;

 private:
    bool remember(int fd);

    std::optional<std::string> path_;  // of an open file; an empty string is a constant for g++ alone
    int flags_ = 0;
    int fd_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace ovni::writer
