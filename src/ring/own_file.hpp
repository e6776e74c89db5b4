// An open regular file in a program that may close all descriptors and reuse their numbers. Each use first
// checks that the descriptor still is the opened file, and opens the file again if not. Files of the program
// are neither written nor closed; the standard descriptors are the program's. The library opens all its files
// this way.
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

    // A symbolic link may lead to another user's file. trusted: follows only links of this user and of root.
    enum class Links { refuse, trusted, follow };

    // False with errno. `flags` as in open(2).
    bool open(const std::string& path, int flags, mode_t mode = 0644, Links links = Links::refuse);
    bool is_open() const { return fd_ >= 0; }
    // The descriptor, valid until the program closes it. Opens the file again if necessary, but never creates
    // it. -1 with errno.
    int get();
    // True if the descriptor still is the file. Needed for state that opening again would lose, such as a
    // lock.
    bool is_ours() const;
    int descriptor() const { return fd_; }
    // False with errno if the file could not be written to its end.
    bool close();
    // Closes the descriptor in this thread's table; a thread with its own table keeps the file open.
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
