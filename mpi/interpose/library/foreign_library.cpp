#include "mpi/interpose/library/foreign_library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/launcher.hpp"
#include "core/loaded_library.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/pmpi.hpp"

namespace ovni::mpi {

namespace {

Report foreign_library{"the program's MPI is %s, the tracing library was built for " OVNI_FAMILY
                       ": its MPI calls are not recorded"};

// The tracing library beside this one that takes over calls for MPICH; "" if there is none. The wrappers of
// Open MPI pass on handles of MPICH, which are smaller. The other way round, addresses would be cut.
#ifdef OVNI_SUCCESSOR
constexpr char successor_name[] = OVNI_SUCCESSOR;
#else
constexpr char successor_name[] = "";
#endif

enum class Relation : uint8_t { unknown, own, foreign };
std::atomic<Relation> known_relation{Relation::unknown};

// A relative of Open MPI has its predefined handles, by their names.
Relation find_relation() noexcept {
    if (!find_symbol("PMPI_Init")) return Relation::unknown;
    const bool finds_addresses = find_symbol("ompi_mpi_comm_world") != nullptr;
    return finds_addresses == has_addresses ? Relation::own : Relation::foreign;
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

// Null if there is none. The place of this library is known by an address in it.
void* open_successor() noexcept {
    const char* own = LoadedLibrary::at(reinterpret_cast<const void*>(&open_successor)).path();
    const char* slash = strrchr(own, '/');
    char path[PATH_MAX];
    const int directory = slash ? static_cast<int>(slash + 1 - own) : 0;
    const int length = snprintf(path, sizeof path, "%.*s%s", directory, own, successor_name);
    if (length < 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// Threads that come at once open it each, and get the same one.
void* successor() noexcept {
    static std::atomic<void*> known{nullptr};
    static std::atomic<bool> is_missing{false};
    void* found = known.load(std::memory_order_acquire);
    if (found || is_missing.load(std::memory_order_relaxed)) return found;
    found = open_successor();
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
    if (!*successor_name || !is_foreign_library()) return nullptr;
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
    Relation relation = known_relation.load(std::memory_order_relaxed);
    if (relation == Relation::unknown) {
        relation = find_relation();
        known_relation.store(relation, std::memory_order_relaxed);
    }
    return relation == Relation::foreign;
}

bool is_foreign_job() noexcept {
    if (!is_foreign_library()) return false;
    if (!(*successor_name && successor()) && is_first_rank()) report_family();
    return true;
}

}  // namespace ovni::mpi
