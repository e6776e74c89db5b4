// The front of a program that is there for two MPIs: becomes that of the launcher which started this process.
// See README.md.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/launcher.hpp"

namespace {

constexpr int failed = 1, wrong_usage = 2;
constexpr std::array<std::string_view, 2> families{"openmpi", "mpich"};

// Ranks speak with one voice.
int end(int status, const std::string& text) {
    if (ovni::is_first_rank()) std::fprintf(stderr, OVNI_FRONT_OF ": ERROR: %s\n", text.c_str());
    return status;
}

// OVNI_MPI, what the launcher says, or the MPI of the build.
std::string_view wanted_family() {
    if (const char* wanted = std::getenv("OVNI_MPI"); wanted && *wanted) return wanted;
    const ovni::Launcher* launcher = ovni::launcher_of_process();
    return launcher && *launcher->family ? launcher->family : OVNI_FRONT_DEFAULT;
}

}  // namespace

int main(int, char** argv) {
    const std::string family(wanted_family());
    bool is_known = false;
    for (std::string_view each : families) is_known |= each == family;
    if (!is_known) return end(wrong_usage, "OVNI_MPI is openmpi or mpich, not '" + family + "'");
    std::error_code failure;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
    const std::string program = self.parent_path() / OVNI_FRONT_DIRECTORY / (OVNI_FRONT_OF "-" + family);
    ::execv(program.c_str(), argv);
    return end(failed, "cannot run " + program + ": " + std::strerror(errno));
}
