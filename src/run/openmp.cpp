#include "run/openmp.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "core/wanted_events.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* libomp = "libomp.so.5";
constexpr const char* tools = "OMP_TOOL_LIBRARIES";

// The directories where the dynamic loader looks, and where Debian has the versions of LLVM, the newest
// first.
std::vector<fs::path> library_directories() {
    std::vector<fs::path> directories;
    const char* search = std::getenv("LD_LIBRARY_PATH");
    std::string_view list = search ? search : "";
    for (size_t begin = 0; begin < list.size();) {
        size_t end = std::min(list.find(':', begin), list.size());
        if (end > begin) directories.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const char* name : {"/usr/local/lib", OVNI_MULTIARCH_DIRECTORY, "/usr/lib64", "/usr/lib"})
        directories.emplace_back(name);
    std::vector<std::pair<int, fs::path>> versions;
    std::error_code none;
    constexpr std::string_view of_llvm = "llvm-";
    for (const auto& entry : fs::directory_iterator("/usr/lib", none))
        if (std::string name = entry.path().filename(); name.starts_with(of_llvm))
            versions.emplace_back(std::atoi(name.c_str() + of_llvm.size()), entry.path() / "lib");
    std::ranges::sort(versions, std::greater());
    for (const auto& [version, directory] : versions) directories.push_back(directory);
    return directories;
}

}  // namespace

OpenMp wanted_openmp() {
    const char* given = std::getenv("OVNI_OPENMP");
    const std::string_view mode = given ? given : wants_reference_events() ? "off" : "auto";
    if (mode == "off") return OpenMp::off;
    return mode == "libomp" ? OpenMp::by_libomp : OpenMp::automatic;
}

void name_tool_of_openmp(OpenMp openmp) {
    const char* given = std::getenv(tools);
    if (openmp == OpenMp::off || !given || !*given) return;
    const std::string own = openmp_library();
    if (std::string_view(given).find(own) != std::string_view::npos) return;
    setenv(tools, (std::string(given) + ":" + own).c_str(), 1);
}

std::string find_libomp() {
    std::error_code none;
    for (const fs::path& directory : library_directories())
        if (fs::exists(directory / libomp, none)) return directory / libomp;
    throw Error("not found: install libomp5 (Debian), or name its directory in LD_LIBRARY_PATH", libomp);
}

}  // namespace ovni::run
