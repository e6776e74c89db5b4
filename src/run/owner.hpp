// The rights with which a run directory is worked on. Its owner decides what is read, written and removed
// there, so nobody acts in it with other rights than the owner's: root becomes the owner first.
#pragma once

#include <filesystem>
#include <functional>

namespace ovni::run {

// Calls `work` with the path of the directory without links, and returns its result: in this process if this
// user owns the directory, in a child that has become the owner if this is root. Throws Error for what is no
// directory, can be written by others, belongs to somebody else, or lies where others could exchange it.
bool as_owner(const std::filesystem::path& directory,
              const std::function<bool(const std::filesystem::path&)>& work);

}  // namespace ovni::run
