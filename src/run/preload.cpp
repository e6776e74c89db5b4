#include "run/preload.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "run/openmp.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* runtime_library = "libovni.so.1";
constexpr const char* threads_library = "libovni-threads.so";
constexpr const char* code_library = "libovni-code.so";
constexpr const char* counters_library = "libovni-counters.so";
constexpr const char* openmp_library_name = "libovni-openmp.so";
constexpr const char* sanitizers[] = {"libasan.", "libtsan.", "liblsan.", "libhwasan.", "libclang_rt."};

fs::path library_directory() {
    fs::path beside = own_program().parent_path().parent_path();
    for (const char* name : {OVNI_LIBDIR, "lib", "lib64"})
        if (fs::exists(beside / name / runtime_library)) return beside / name;
    throw Error("not found next to this program: is the installation complete?", runtime_library);
}

// That of the build has the short name. Empty if there is none.
fs::path mpi_library_of(const MpiFamily& family) {
    const bool is_of_build = family.name == OVNI_MPI_FAMILY;
    const fs::path library =
        library_directory() / ("libovni-mpi" + (is_of_build ? "" : "-" + std::string(family.name)) + ".so");
    return fs::exists(library) ? library : fs::path();
}

// The tracing library for a program's family. A program that may load any MPI later (null) gets one that can
// pass on the handles of all. Calls of a program without a library of its own pass through that of the build,
// unless its handles would be cut there: empty then. A build without MPI has no library.
fs::path mpi_library_for(const MpiFamily* program) {
    const MpiFamily* build = mpi_family(OVNI_MPI_FAMILY);
    if (!build) return {};
    for (const MpiFamily& family : mpi_families)
        if (program ? program == &family : family.handles == Handles::addresses)
            if (fs::path library = mpi_library_of(family); !library.empty()) return library;
    const bool is_cut =
        program && program->handles == Handles::addresses && build->handles == Handles::numbers;
    return is_cut ? fs::path() : mpi_library_of(*build);
}

// Blanks separate them, too.
std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin < list.size();) {
        size_t end = std::min(list.find_first_of(" :", begin), list.size());
        if (end > begin) words.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

// The runtime of one refuses to work where it is not the first.
bool is_sanitizer(const std::string& library) {
    std::string name = fs::path(library).filename();
    return std::ranges::any_of(sanitizers, [&](const char* begin) { return name.starts_with(begin); });
}

// True if threads have rows even if they emit nothing.
bool shows_threads() {
    const char* shown = std::getenv("OVNI_THREADS");
    return !shown || std::string_view(shown) != "mpi";
}

}  // namespace

// If there is no /proc, this is the path with which the program was started.
fs::path own_program() {
    std::error_code fault;
    fs::path program = fs::read_symlink("/proc/self/exe", fault);
    if (!fault) return program;
    return fs::canonical(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)));
}

std::vector<std::string> sanitizers_among(std::span<const std::string> libraries) {
    std::vector<std::string> found;
    std::ranges::copy_if(libraries, std::back_inserter(found), is_sanitizer);
    return found;
}

bool has_mpi_library(const MpiFamily* program) {
    return !mpi_family(OVNI_MPI_FAMILY) || !mpi_library_for(program).empty();
}

bool has_code_library() {
    return fs::exists(library_directory() / code_library);
}

// Otherwise ours come first: of two that stand before the same function of MPI, the second is not called.
std::string openmp_library() {
    return library_directory() / openmp_library_name;
}

std::string preload_list(const char* present, const Libraries& wanted) {
    fs::path directory = library_directory();
    if (directory.string().find_first_of(" :") != std::string::npos)
        throw Error("LD_PRELOAD takes no path with a blank or colon", directory.string());
    std::string list;
    auto append = [&](const std::string& library) { list += (list.empty() ? "" : ":") + library; };
    std::vector<std::string> given = words_of(present ? present : "");
    auto others = std::ranges::stable_partition(given, is_sanitizer);
    for (const std::string& sanitizer : wanted.sanitizers) append(sanitizer);
    std::for_each(given.begin(), others.begin(), append);
    append(directory / runtime_library);
    if (wanted.threads || shows_threads()) append(directory / threads_library);
    if (wanted.code) append(directory / code_library);
    if (wanted.counters) append(directory / counters_library);
    // The entry points of its runtime have to come before ours, which pass calls on to the next ones.
    if (wanted.openmp == OpenMp::by_libomp) append(find_libomp());
    if (wanted.openmp != OpenMp::off) append(openmp_library());
    if (const fs::path library = mpi_library_for(wanted.mpi_family); !library.empty()) append(library);
    std::ranges::for_each(others, append);
    return list;
}

}  // namespace ovni::run
