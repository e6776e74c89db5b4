#include "region/own_process.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace ovni::region {

namespace {

constexpr std::string_view launchers[] = {
    "orted",  "orterun",         "prted",    "prterun",         "prte",
    "mpirun", "mpirun.openmpi",  "mpiexec",  "mpiexec.openmpi", "mpiexec.hydra",
    "srun",   "hydra_pmi_proxy", "pmi_proxy"};

bool is_of_tracer(const char* thread) noexcept {
    const std::string path = std::string("/proc/self/task/") + thread + "/comm";
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char name[32];
    ssize_t size = ::read(file, name, sizeof name);
    ::close(file);
    return size > 0 && std::string_view(name, static_cast<size_t>(size)).starts_with("ovni-");
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

bool is_code_library_loaded() noexcept {
    void* library = ::dlopen("libovni-code.so", RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) ::dlclose(library);
    return library != nullptr;
}

size_t count_program_threads() noexcept {
    DIR* threads = ::opendir("/proc/self/task");
    if (threads == nullptr) return 0;
    size_t count = 0;
    while (const dirent* thread = ::readdir(threads))
        if (thread->d_name[0] != '.' && !is_of_tracer(thread->d_name)) ++count;
    ::closedir(threads);
    return count;
}

}  // namespace ovni::region
