// Directories of outputs in places that another user may change at any moment. A directory is opened once,
// and files are made in the open directory, even if its name leads elsewhere by then.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/file.hpp"

namespace ovni {

// True if the path, which may have a slash at its end, is a link that is not followed.
bool is_foreign_link(const std::filesystem::path& path);

// Both functions follow links of this user and of root, and throw Error for links of other users.
Fd open_directory(const std::filesystem::path& path);
enum class Missing { is_error, is_made };
// `below`: a path inside it, whose parts are checked one by one.
Fd open_directory_in(const std::filesystem::path& directory, const std::filesystem::path& below,
                     Missing missing);

// A path of the open directory for functions that take paths; `path` if the system has no such paths. Errors
// show the usual path.
std::filesystem::path name_of_open(const Fd& directory, const std::filesystem::path& path);

// The inode number, equal on all nodes that share the directory.
int64_t number_of(const Fd& directory);

// Throws Error if `path` no longer is the open directory.
void expect_unchanged(const Fd& directory, const std::filesystem::path& path);

}  // namespace ovni
