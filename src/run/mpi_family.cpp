#include "run/mpi_family.hpp"

#include <algorithm>
#include <string_view>

namespace ovni::run {

namespace {

struct Mark {
    std::string_view library;  // how its name begins
    std::string_view family;
};

// Older versions of Open MPI share a name with MPICH's, so a library that only Open MPI has comes first.
constexpr Mark marks[] = {
    {"libopen-pal.so", "openmpi"}, {"libmpi.so.40", "openmpi"}, {"libmpi.so.20", "openmpi"},
    {"libmpi.so.12", "mpich"},     {"libmpich.so.", "mpich"},   {"libmpifort.so.12", "mpich"},
};

}  // namespace

std::string mpi_family_among(std::span<const std::string> libraries) {
    for (const Mark& mark : marks)
        if (std::ranges::any_of(libraries,
                                [&](const std::string& name) { return name.starts_with(mark.library); }))
            return std::string(mark.family);
    return {};
}

}  // namespace ovni::run
