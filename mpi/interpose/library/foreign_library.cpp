#include "mpi/interpose/library/foreign_library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/launcher.hpp"
#include "core/loaded_library.hpp"
#include "core/mpi_families.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/pmpi.hpp"

namespace ovni::mpi {

namespace {

Report foreign_library{"the program's MPI is %s, the tracing library was built for " OVNI_FAMILY
                       ": its MPI calls are not recorded"};

constexpr const MpiFamily& own_family = *mpi_family(OVNI_MPI_FAMILY);

#ifdef OVNI_HAS_SUCCESSORS
constexpr bool has_successors = true;
#else
constexpr bool has_successors = false;
#endif

// Null until the process has an MPI library.
const MpiFamily* find_family() noexcept {
    const void* function = find_symbol("PMPI_Init");
    if (!function) return nullptr;
    const char* file = LoadedLibrary::at(function).file_name();
    for (const MpiFamily& family : mpi_families)
        if (family.has_library(file) || (*family.symbol && find_symbol(family.symbol))) return &family;
    return std::end(mpi_families) - 1;
}

// Kept once it is known.
const MpiFamily* family_of_process() noexcept {
    static std::atomic<const MpiFamily*> known{nullptr};
    const MpiFamily* family = known.load(std::memory_order_relaxed);
    if (!family) {
        family = find_family();
        known.store(family, std::memory_order_relaxed);
    }
    return family;
}

bool is_version(const char* word) noexcept {
    if (*word == 'v' || *word == 'V') ++word;
    return isdigit(static_cast<unsigned char>(*word)) || strncmp(word, "ersion", strlen("ersion")) == 0;
}

void report_family() noexcept {
    constexpr size_t longest = 8192;  // of any library
    char version[longest + 1] = "";
    int size = 0;
    auto* ask = reinterpret_cast<int (*)(char*, int*)>(find_symbol("PMPI_Get_library_version"));
    if (ask) ask(version, &size);
    version[longest] = '\0';
    cut_to_name(version);
    foreign_library.once(*version ? version : "another one");
}

// The tracing library next to this one that takes over the calls of a family. That of the build has the short
// name. Null if there is none.
void* open_successor(std::string_view family) noexcept {
    const char* own = LoadedLibrary::at(reinterpret_cast<const void*>(&open_successor)).path();
    const char* slash = strrchr(own, '/');
    char path[PATH_MAX];
    const int directory = slash ? static_cast<int>(slash + 1 - own) : 0;
    const bool is_of_build = family == OVNI_MPI_OF_BUILD;
    const int length = snprintf(path, sizeof path, "%.*slibovni-mpi%s%s.so", directory, own,
                                is_of_build ? "" : "-", is_of_build ? "" : family.data());
    if (length < 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// Threads that come at once open it each, and get the same one.
void* successor() noexcept {
    static std::atomic<void*> known{nullptr};
    static std::atomic<bool> is_missing{false};
    void* found = known.load(std::memory_order_acquire);
    if (found || is_missing.load(std::memory_order_relaxed)) return found;
    found = open_successor(family_of_process()->name);
    known.store(found, std::memory_order_release);
    is_missing.store(!found, std::memory_order_relaxed);
    return found;
}

// The place of the predecessor in memory; 0: there is none.
std::atomic<uintptr_t> predecessor_begin{0}, predecessor_size{0};

}  // namespace

void find_predecessor() noexcept {
    const LoadedLibrary other = LoadedLibrary::at(LoadedLibrary::first_symbol("ovni_mpi_function_name"));
    if (!other || other.is_ours()) return;
    predecessor_begin.store(reinterpret_cast<uintptr_t>(other.begin()), std::memory_order_relaxed);
    predecessor_size.store(other.size(), std::memory_order_relaxed);
}

bool is_of_predecessor(const void* address) noexcept {
    return reinterpret_cast<uintptr_t>(address) - predecessor_begin.load(std::memory_order_relaxed) <
           predecessor_size.load(std::memory_order_relaxed);
}

void* symbol_of_successor(const char* name) noexcept {
    if (!has_successors || !is_foreign_library()) return nullptr;
    void* library = successor();
    return library ? dlsym(library, name) : nullptr;
}

void cut_to_name(char* version) noexcept {
    char* end = version;
    while (*end && *end != '\n' && *end != ',' && !is_version(end)) {
        while (*end && !strchr(" ,\n\t", *end)) ++end;
        while (*end == ' ' || *end == '\t') ++end;
    }
    while (end > version && strchr(" \t,", end[-1])) --end;
    *end = '\0';
}

bool is_foreign_library() noexcept {
    const MpiFamily* family = family_of_process();
    return family && family != &own_family;
}

bool is_foreign_job() noexcept {
    if (!is_foreign_library()) return false;
    if (!(has_successors && successor()) && is_first_rank()) report_family();
    return true;
}

}  // namespace ovni::mpi
