// Outputs under a temporary name, NAME.tmp.PID.RANDOM next to the final one. Their writer holds a lock on
// them for as long as it lives. So what a killed program left is known, and the next writer of that output
// removes it.
//
// The directory may belong to another user, who may put links there: nobody can guess the name, and what is
// made under it is new.
#pragma once

#include <filesystem>

namespace ovni {

class Fd;

// Another one each time.
std::filesystem::path temporary_name(const std::filesystem::path& target);

// Makes an empty file that was not there; not open, with errno, if that cannot be. Follows no link.
Fd make_new_file(const std::filesystem::path& path);
// Makes a directory that was not there, and opens it, held. Throws Error, which names `output`.
Fd make_new_directory(const std::filesystem::path& path, const std::filesystem::path& output,
                      unsigned mode = 0777);

// Removes the files and directories that nobody holds under temporary names of `target`. Nothing is removed
// on a file system without locks. True if this process holds one.
bool remove_left_over(const std::filesystem::path& target);

// Locks an open file or directory. Returns false if another program holds it, or has removed it: open it
// again.
bool hold(const Fd& output);

}  // namespace ovni
