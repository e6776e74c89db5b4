// An open regular file in a program that may close all descriptors and give their numbers to files of its
// own. Each use asks first whether the descriptor still is the opened file, and opens it again if not. A file
// of the program is neither written nor closed, and the standard descriptors are the program's. The library
// opens files in no other way.
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

    // A symbolic link may lead to somebody else's file. Links of the caller, and of root, are `trusted`.
    enum class Links { refuse, trusted, follow };

    // False with errno. `flags` as in open(2).
    bool open(const std::string& path, int flags, mode_t mode = 0644, Links links = Links::refuse);
    bool is_open() const { return fd_ >= 0; }
    // A descriptor to use now. Opens the file again if need be, but never makes it again. -1 with errno.
    int get();
    // True if descriptor() still is the file: for what would be lost by opening it again, such as a lock.
    bool is_ours() const;
    int descriptor() const { return fd_; }
    // False with errno if the file could not be written to its end.
    bool close();
    // Closes the descriptor of this thread; a thread with descriptors of its own goes on with the file.
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
