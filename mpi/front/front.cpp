// The front of a program that is built for several MPIs: executes the one for the launcher that started this
// process. See README.md.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include "core/launcher.hpp"
#include "core/mpi_families.hpp"

namespace {

constexpr int failed = 1, wrong_usage = 2;

// Ranks speak with one voice.
int end(int status, const std::string& text) {
    if (ovni::is_first_rank()) std::fprintf(stderr, OVNI_FRONT_OF ": ERROR: %s\n", text.c_str());
    return status;
}

// OVNI_MPI, else the family of the launcher, else the MPI of the build.
std::string_view wanted_family() {
    if (const char* wanted = std::getenv("OVNI_MPI"); wanted && *wanted) return wanted;
    const ovni::Launcher* launcher = ovni::launcher_of_process();
    return launcher && *launcher->family ? launcher->family : OVNI_FRONT_DEFAULT;
}

// "openmpi or mpich"
std::string known_families() {
    std::string names;
    for (const ovni::MpiFamily& family : ovni::mpi_families) {
        const bool is_last = &family == std::end(ovni::mpi_families) - 1;
        names.append(names.empty() ? "" : is_last ? " or " : ", ").append(family.name);
    }
    return names;
}

}  // namespace

int main(int, char** argv) {
    const std::string family(wanted_family());
    if (!ovni::mpi_family(family))
        return end(wrong_usage, "OVNI_MPI is " + known_families() + ", not '" + family + "'");
    std::error_code failure;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
    const std::string program = self.parent_path() / OVNI_FRONT_DIRECTORY / (OVNI_FRONT_OF "-" + family);
    ::execv(program.c_str(), argv);
    return end(failed, "cannot run " + program + ": " + std::strerror(errno));
}
