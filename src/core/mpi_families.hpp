// Families of MPI libraries, whose binary interfaces differ: a program is traced by a library for its own. A
// new family is a row here and a mpi/interpose/library/family_NAME.hpp. CMake reads the first three columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace ovni {

// A wrapper with handles as addresses can forward handles of any family: the other handles are numbers, and
// smaller.
enum class Handles : uint8_t { addresses, numbers };

struct MpiFamily {
    std::string_view name;  // as in mpicc.NAME and OVNI_MPI=NAME
    const char* macro;      // defined by its mpi.h, and by no mpi.h of the rows above
    Handles handles;
    const char* symbol;  // a variable that only its libraries have; "": there is none
    // Prefixes of its libraries' names; without prefixes that a later row has, too.
    std::string_view libraries[3];

    constexpr bool has_library(std::string_view file) const noexcept {
        return std::ranges::any_of(
            libraries, [&](std::string_view begin) { return !begin.empty() && file.starts_with(begin); });
    }
};

// A library that no row matches counts as one of the last family.
inline constexpr MpiFamily mpi_families[] = {
    {"openmpi",
     "OPEN_MPI",
     Handles::addresses,
     "ompi_mpi_comm_world",
     {"libopen-pal.so", "libmpi.so.40", "libmpi.so.20"}},
    {"mpich", "MPICH", Handles::numbers, "", {"libmpi.so.12", "libmpich.so.", "libmpifort.so.12"}},
};

// Null if there is no such family.
constexpr const MpiFamily* mpi_family(std::string_view name) noexcept {
    const auto* found = std::ranges::find(mpi_families, name, &MpiFamily::name);
    return found == std::end(mpi_families) ? nullptr : found;
}

// The family of a program, by the names of the libraries that it is linked with, directly or indirectly. Null
// if none is an MPI library: a program may load its MPI later.
template <class Names>
constexpr const MpiFamily* mpi_family_among(const Names& libraries) noexcept {
    const auto* found = std::ranges::find_if(mpi_families, [&](const MpiFamily& family) {
        return std::ranges::any_of(libraries,
                                   [&](std::string_view library) { return family.has_library(library); });
    });
    return found == std::end(mpi_families) ? nullptr : found;
}

}  // namespace ovni
