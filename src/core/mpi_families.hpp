// Families of MPI libraries, whose binary interfaces differ: a program is traced by a library for its own. A
// new family is a row here and a mpi/interpose/library/family_NAME.hpp. CMake reads the first three columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace ovni {

// A wrapper whose handles are addresses can pass on those of any family: the others are numbers, and smaller.
enum class Handles : uint8_t { addresses, numbers };

struct MpiFamily {
    std::string_view name;  // as in mpicc.NAME and OVNI_MPI=NAME
    const char* macro;      // defined by its mpi.h, and by none of the rows above
    Handles handles;
    const char* symbol;  // a variable that its libraries alone have; "": there is none
    // How names of its libraries begin; names that a row below has as well are left out.
    std::string_view libraries[3];

    constexpr bool has_library(std::string_view file) const noexcept {
        return std::ranges::any_of(
            libraries, [&](std::string_view begin) { return !begin.empty() && file.starts_with(begin); });
    }
};

// A library that no row knows is taken for one of the last family.
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

// The family of a program, by the names of the libraries that it is linked with, directly or by way of
// others. Null if none is of MPI: a program may load its MPI later.
template <class Names>
constexpr const MpiFamily* mpi_family_among(const Names& libraries) noexcept {
    const auto* found = std::ranges::find_if(mpi_families, [&](const MpiFamily& family) {
        return std::ranges::any_of(libraries,
                                   [&](std::string_view library) { return family.has_library(library); });
    });
    return found == std::end(mpi_families) ? nullptr : found;
}

}  // namespace ovni
