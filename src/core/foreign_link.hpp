// Symbolic links of other users in the place of an output, or of a directory on the way to one. They may lead
// to what only the caller may write, so they are not followed. Root may do so anyway.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace ovni {

inline bool is_foreign_link(const struct stat& status) noexcept {
    return S_ISLNK(status.st_mode) && status.st_uid != ::geteuid() && status.st_uid != 0;
}

// Does not follow the last part of the path.
inline bool is_foreign_link(const char* path) noexcept {
    struct stat status {};
    return ::lstat(path, &status) == 0 && is_foreign_link(status);
}

}  // namespace ovni
