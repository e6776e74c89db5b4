// The run directories of this user, in all places where processes put them: OVNI_RUNDIR and TMPDIR count as
// they are now.
#pragma once

#include <filesystem>
#include <vector>

namespace ovni::run {

std::vector<std::filesystem::path> run_directories();

// True if nobody drains this run directory any more.
bool is_abandoned(const std::filesystem::path& run_directory);

// Removes empty run directories of processes that were killed while they made or removed them.
void remove_ruins();

}  // namespace ovni::run
