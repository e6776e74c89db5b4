// Symbolic links of other users in the path of an output. They may lead to files that only the caller may
// write, so they are not followed. Links of root are.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace ovni {

inline bool is_foreign_link(const struct stat& status) noexcept {
    return S_ISLNK(status.st_mode) && status.st_uid != ::geteuid() && status.st_uid != 0;
}

// True if the path itself is such a link; only the last part is checked.
inline bool is_foreign_link(const char* path) noexcept {
    struct stat status {};
    return ::lstat(path, &status) == 0 && is_foreign_link(status);
}

}  // namespace ovni
