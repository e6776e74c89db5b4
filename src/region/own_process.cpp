#include "region/own_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "core/loaded_library.hpp"

namespace ovni::region {

namespace {

constexpr std::string_view launchers[] = {
    "orted",  "orterun",         "prted",    "prterun",         "prte",
    "mpirun", "mpirun.openmpi",  "mpiexec",  "mpiexec.openmpi", "mpiexec.hydra",
    "srun",   "hydra_pmi_proxy", "pmi_proxy"};

// The name of a task, from its directory in /proc; empty if it cannot be read.
std::string task_name(const std::string& task) {
    const int file = ::open((task + "/comm").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return "";
    char name[32];
    const ssize_t size = ::read(file, name, sizeof name);
    ::close(file);
    return {name, size > 0 ? static_cast<size_t>(size) - 1 : 0};
}

}  // namespace

bool is_launcher() noexcept {
    char path[PATH_MAX];
    ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
    if (size <= 0) return false;
    std::string_view program(path, static_cast<size_t>(size));
    program.remove_prefix(program.rfind('/') + 1);
    return std::ranges::find(launchers, program) != std::end(launchers);
}

bool is_started_by_ovnirun() noexcept {
    return task_name("/proc/" + std::to_string(::getppid())) == "ovnirun";
}

bool is_code_library_loaded() noexcept {
    bool is_loaded = false;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        is_loaded = std::string_view(library.file_name()) == "libovni-code.so";
        return !is_loaded;
    });
    return is_loaded;
}

size_t count_program_threads() noexcept {
    DIR* threads = ::opendir("/proc/self/task");
    if (threads == nullptr) return 0;
    size_t count = 0;
    while (const dirent* thread = ::readdir(threads))
        if (thread->d_name[0] != '.' &&
            !task_name(std::string("/proc/self/task/") + thread->d_name).starts_with("ovni-"))
            ++count;
    ::closedir(threads);
    return count;
}

}  // namespace ovni::region
