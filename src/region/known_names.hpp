// Names that are allowed in the values of alarms.
#pragma once

#include <span>
#include <string_view>

namespace ovni::region {

// If a list is empty, names of that kind are not checked.
struct KnownNames {
    // "MPI_Send", ...: the index is the number of the function.
    std::span<const std::string_view> mpi_functions = {};
    // In capitals.
    std::span<const std::string_view> isa_extensions = {}, isa_categories = {};
};

}  // namespace ovni::region
