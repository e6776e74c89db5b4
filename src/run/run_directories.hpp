// The run directories of this user, wherever processes put them: by OVNI_RUNDIR and TMPDIR as they are now.
#pragma once

#include <filesystem>
#include <vector>

namespace ovni::run {

std::vector<std::filesystem::path> run_directories();

// Nobody drains it any more.
bool is_abandoned(const std::filesystem::path& run_directory);

// Those of processes that were killed while they made or removed them: nothing is in them.
void remove_ruins();

}  // namespace ovni::run
