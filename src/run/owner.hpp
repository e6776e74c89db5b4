// The user rights for work in a run directory. The owner decides what is read, written and removed there, so
// work is done only with the owner's rights: root becomes the owner first.
#pragma once

#include <filesystem>
#include <functional>

namespace ovni::run {

// Calls `work` with the directory's path without links, and returns its result. If this user owns the
// directory, `work` runs in this process; for root, in a child that has become the owner. Throws Error if
// `directory` is no directory, is writable by others, belongs to another user, or lies where others could
// replace it.
bool as_owner(const std::filesystem::path& directory,
              const std::function<bool(const std::filesystem::path&)>& work);

}  // namespace ovni::run
