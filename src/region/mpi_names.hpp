// Names of MPI functions, from libovni-mpi.so if it is loaded.
#pragma once

#include <string_view>
#include <vector>

namespace ovni::region {

// The index is the number of the function. Empty without that library.
std::vector<std::string_view> mpi_function_names() noexcept;

}  // namespace ovni::region
