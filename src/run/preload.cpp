#include "run/preload.hpp"

#include <filesystem>

#include "base/error.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* runtime_library = "libovni.so.1";
constexpr const char* mpi_library = "libovni-mpi.so";

fs::path library_directory() {
    fs::path beside = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    for (const char* name : {OVNI_LIBDIR, "lib", "lib64"})
        if (fs::exists(beside / name / runtime_library)) return beside / name;
    throw Error("not found beside this program: is the installation complete?", runtime_library);
}

}  // namespace

std::string preload_list(const char* present) {
    fs::path directory = library_directory();
    if (directory.string().find_first_of(" :") != std::string::npos)
        throw Error("LD_PRELOAD takes no path with a blank or colon", directory.string());
    std::string list = directory / runtime_library;
    // A build without MPI has none.
    if (fs::exists(directory / mpi_library)) list += ':' + (directory / mpi_library).string();
    if (present && *present) list += ':' + std::string(present);
    return list;
}

}  // namespace ovni::run
