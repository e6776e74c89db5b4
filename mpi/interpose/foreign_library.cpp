#include "mpi/interpose/foreign_library.hpp"

#include <mpi.h>

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "mpi/interpose/pmpi.hpp"
#include "mpi/interpose/report.hpp"

namespace ovni::mpi {

namespace {

#if defined OPEN_MPI
#define OVNI_BUILT_FOR "Open MPI"
constexpr bool built_for_addresses = true;
#elif defined I_MPI_VERSION
#define OVNI_BUILT_FOR "Intel MPI"
constexpr bool built_for_addresses = false;
#else
#define OVNI_BUILT_FOR "MPICH"
constexpr bool built_for_addresses = false;
#endif

Report foreign_library{"the program's MPI is %s, the tracing library was built for " OVNI_BUILT_FOR
                       ": its MPI calls are not recorded"};

enum class Origin : uint8_t { unknown, own, foreign };
std::atomic<Origin> known_origin{Origin::unknown};

// A relative of Open MPI has its predefined handles, by their names.
Origin find_origin() noexcept {
    if (!find_symbol("PMPI_Init")) return Origin::unknown;
    bool has_addresses = find_symbol("ompi_mpi_comm_world") != nullptr;
    return has_addresses == built_for_addresses ? Origin::own : Origin::foreign;
}

bool is_version(const char* word) noexcept {
    if (*word == 'v' || *word == 'V') ++word;
    return isdigit(static_cast<unsigned char>(*word)) || strncmp(word, "ersion", strlen("ersion")) == 0;
}

bool is_first_rank() noexcept {
    for (const char* variable : {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* rank = secure_getenv(variable); rank && strcmp(rank, "0") != 0) return false;
    return true;
}

void report() noexcept {
    constexpr size_t longest = 8192;  // of any library
    char version[longest + 1] = "";
    int size = 0;
    auto* ask = reinterpret_cast<int (*)(char*, int*)>(find_symbol("PMPI_Get_library_version"));
    if (ask) ask(version, &size);
    version[longest] = '\0';
    cut_to_name(version);
    foreign_library.once(*version ? version : "another one");
}

}  // namespace

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
    Origin origin = known_origin.load(std::memory_order_relaxed);
    if (origin == Origin::unknown) {
        origin = find_origin();
        known_origin.store(origin, std::memory_order_relaxed);
    }
    return origin == Origin::foreign;
}

bool is_foreign_job() noexcept {
    if (!is_foreign_library()) return false;
    if (is_first_rank()) report();
    return true;
}

}  // namespace ovni::mpi
