// The run directories of this user, in all places where processes put them, with the present values of
// OVNI_RUNDIR and TMPDIR.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ovni::run {

std::vector<std::filesystem::path> run_directories();

// The name of a run directory identifies its maker: "<job>.<rank>.<pid>" and a suffix.
struct RunName {
    std::string job;  // "run" outside of batch systems and mpirun
    int pid = 0;      // of ovnirun, or of a process that drains itself
};
RunName name_of_run(const std::filesystem::path& run_directory);

// "90 s", "5 min", "3 h" or "2 d": the time since it was made or last used.
std::string age_of(const std::filesystem::path& run_directory);

// True if no process drains this run directory any more.
bool is_abandoned(const std::filesystem::path& run_directory);

// Removes empty run directories of processes that were killed while they made or removed them.
void remove_ruins();

}  // namespace ovni::run
