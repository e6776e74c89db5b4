// The run directories of this user, in all places where processes put them: OVNI_RUNDIR and TMPDIR count as
// they are now.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ovni::run {

std::vector<std::filesystem::path> run_directories();

// The name of a run directory says who made it: "<job>.<rank>.<pid>" and more.
struct RunName {
    std::string job;  // "run" outside of batch systems and mpirun
    int pid = 0;      // of ovnirun, or of a process that drains itself
};
RunName name_of_run(const std::filesystem::path& run_directory);

// "90 s", "5 min", "3 h" or "2 d": since it was made or last used.
std::string age_of(const std::filesystem::path& run_directory);

// True if nobody drains this run directory any more.
bool is_abandoned(const std::filesystem::path& run_directory);

// Removes empty run directories of processes that were killed while they made or removed them.
void remove_ruins();

}  // namespace ovni::run
