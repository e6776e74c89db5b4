// Outputs under a temporary name, NAME.tmp.PID.RANDOM, next to the final one. The writer holds a lock on its
// output as long as it lives. So outputs of killed programs are recognised, and the next writer of that
// output removes them.
//
// The directory may belong to another user, who may put links there. So the name cannot be guessed, and an
// existing file is never opened.
#pragma once

#include <filesystem>

namespace ovni {

class Fd;

// A different name each time.
std::filesystem::path temporary_name(const std::filesystem::path& target);

// Makes a new empty file. On failure the result is not open, and errno is set. Does not follow links.
Fd make_new_file(const std::filesystem::path& path);
// Makes a new directory, opens and locks it. Throws Error with `output`.
Fd make_new_directory(const std::filesystem::path& path, const std::filesystem::path& output,
                      unsigned mode = 0777);

// Removes the files and directories under temporary names of `target` that are not locked. Removes nothing on
// a file system without locks. True if this process holds one.
bool remove_left_over(const std::filesystem::path& target);

// Locks an open file or directory. Returns false if another program holds it, or has removed it: open it
// again.
bool hold(const Fd& output);

}  // namespace ovni
