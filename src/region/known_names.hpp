// Names that the values of alarms may have.
#pragma once

#include <span>
#include <string_view>

namespace ovni::region {

// Names of a kind are not looked up if there are none.
struct KnownNames {
    // "MPI_Send", ...: the place is the number of the function.
    std::span<const std::string_view> mpi_functions = {};
    // In capitals.
    std::span<const std::string_view> isa_extensions = {}, isa_categories = {};
};

}  // namespace ovni::region
