// Directories of outputs in places that another user may change at any moment: they are opened once, and what
// is made in them is made in the open one, whatever has its name by then.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/file.hpp"

namespace ovni {

// True if the path, which may have a slash at its end, is a link that is not followed.
bool is_foreign_link(const std::filesystem::path& path);

// Both follow links of the caller and of root, and throw Error for those of others.
Fd open_directory(const std::filesystem::path& path);
enum class Missing { is_error, is_made };
// `below`: a path in it, whose parts are looked at one by one.
Fd open_directory_in(const std::filesystem::path& directory, const std::filesystem::path& below,
                     Missing missing);

// A name of the open directory for functions that take names. Error shows the usual one. `path` if the system
// has no such names.
std::filesystem::path name_of_open(const Fd& directory, const std::filesystem::path& path);

// The number of its inode, which all nodes that share it see.
int64_t number_of(const Fd& directory);

// Throws Error if `path` is not the open directory any more.
void expect_unchanged(const Fd& directory, const std::filesystem::path& path);

}  // namespace ovni
