// An empty file in a shared directory, by whose existence a process informs others.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

namespace ovni::mpi {

class FlagFile {
 public:
    // "<directory>/.<name>.<number>"
    FlagFile(const char* directory, const char* name, int number) noexcept {
        snprintf(path_, sizeof path_, "%s/.%s.%d", directory, name, number);
    }
    bool raise() const noexcept {
        int file = open(path_, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        return file >= 0 && close(file) == 0;
    }
    void lower() const noexcept { unlink(path_); }
    bool is_seen() const noexcept { return access(path_, F_OK) == 0; }

 private:
    char path_[PATH_MAX + 160];
};

}  // namespace ovni::mpi
