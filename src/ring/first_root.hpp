// The root directory in which the process began. After chroot() the paths of the trace are wrong, unless a
// descriptor of the first root stays open: then the library resolves its paths from there. If the program has
// closed the descriptor, paths are resolved from the program's root.
#pragma once

namespace ovni::writer {

// A descriptor and a path for openat() and similar calls.
struct PathAt {
    int directory;
    const char* path;
};
PathAt from_first_root(const char* path) noexcept;

// Call before chroot(). True if it opened the descriptor just now.
bool keep_first_root() noexcept;
// Closes it: chroot() failed.
void leave_first_root() noexcept;

// rename() of two such paths.
int rename_from_first_root(const char* from, const char* to) noexcept;

// Gives the calling thread its own root directory, the first one, which the program's chroot() does not
// change.
void part_from_root() noexcept;

}  // namespace ovni::writer
