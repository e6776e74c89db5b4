// The root directory in which the process began. A program that calls chroot() takes the paths of the trace
// away from its later threads, unless a descriptor of the first root stays open: the paths of ours are taken
// from there then. If the program has closed it, they mean what the program's paths mean.
#pragma once

namespace ovni::writer {

// For openat() and the like.
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

// The calling thread has a root of its own from now on: the first one, whatever the program does to its own.
void part_from_root() noexcept;

}  // namespace ovni::writer
