// Outputs under a temporary name, NAME.tmp.PID next to the final one. Their writer holds a lock on them for
// as long as it lives. So what a killed program left is known, and the next writer of that output removes it.
#pragma once

#include <filesystem>

namespace ovni {

class Fd;

std::filesystem::path temporary_name(const std::filesystem::path& target);

// Removes the files and directories that nobody holds under temporary names of `target`. Nothing is removed
// on a file system without locks.
void remove_left_over(const std::filesystem::path& target);

// Locks an open file or directory. Returns false if another program holds it, or has removed it: open it
// again.
bool hold(const Fd& output);

}  // namespace ovni
