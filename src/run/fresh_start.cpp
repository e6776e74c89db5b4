#include "run/fresh_start.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/loaded_library.hpp"
#include "run/preload.hpp"

namespace ovni::run {

namespace {

constexpr const char* wanted = "OVNI_PRELOAD_OF_PROGRAM";

// The loader itself, and what the kernel maps, are needed by name or not at all. Some libraries take
// themselves out of LD_PRELOAD once they are loaded.
bool has_preloaded() {
    std::vector<LoadedLibrary> libraries;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        const bool is_vdso = std::strncmp(library.file_name(), "linux-", std::strlen("linux-")) == 0;
        if (!is_vdso) libraries.push_back(library);
        return true;
    });
    auto is_needed = [&](const LoadedLibrary& library) {
        return std::ranges::any_of(libraries,
                                   [&](const LoadedLibrary& other) { return other.needs(library); });
    };
    return !std::all_of(libraries.begin() + 1, libraries.end(), is_needed);
}

}  // namespace

const char* start_without_preload(char** argv) {
    static std::string value;
    if (const char* kept = std::getenv(wanted)) {
        value = kept;
        ::unsetenv(wanted);
        return value.empty() ? nullptr : value.c_str();
    }
    const char* preload = std::getenv("LD_PRELOAD");
    // Started by name of the loader, or in an emulator, it would be another program.
    const std::filesystem::path program = own_program();
    if ((!preload && !has_preloaded()) || program.filename() != "ovnirun") return preload;
    value = preload ? preload : "";
    ::setenv(wanted, value.c_str(), 1);
    ::unsetenv("LD_PRELOAD");
    ::execv(program.c_str(), argv);
    // It goes on as it is.
    ::unsetenv(wanted);
    return preload ? value.c_str() : nullptr;
}

}  // namespace ovni::run
