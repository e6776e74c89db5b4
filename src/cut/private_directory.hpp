// A directory for files that a program needs only while it runs. It goes with the program, whatever ends
// that: a child process waits for the end, and removes what is there still. If that child is killed as well,
// as by the end of a job, the next program that makes a directory of that name removes it.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/file.hpp"

namespace ovni {

class PrivateDirectory {
 public:
    // Makes `name` with the number of this process behind it. Throws Error.
    explicit PrivateDirectory(const std::filesystem::path& name);
    ~PrivateDirectory();
    PrivateDirectory(const PrivateDirectory&) = delete;
    PrivateDirectory& operator=(const PrivateDirectory&) = delete;
    // Its name for all processes.
    const std::filesystem::path& path() const { return path_; }
    // Its name for what this process makes in it, whatever another user puts in its place.
    std::filesystem::path open_path() const;

 private:
    void start_remover();

    std::filesystem::path path_;
    Fd held_;
    Fd alive_;  // of a pipe whose other end the child reads: closed by any end of this process
    pid_t remover_ = -1;
};

}  // namespace ovni
