// A directory for files that a program needs only while it runs. It is removed however the program ends: a
// child process waits for the end and removes what is left. If the child is killed as well, as at the end of
// a job, the next program that makes a directory of that name removes it.
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
    // The name to make files in it: it stays right whatever another user puts in its place.
    std::filesystem::path open_path() const;

 private:
    void start_remover();

    std::filesystem::path path_;
    Fd held_;
    Fd alive_;  // of a pipe whose other end the child reads: closed however this process ends
    pid_t remover_ = -1;
};

}  // namespace ovni
