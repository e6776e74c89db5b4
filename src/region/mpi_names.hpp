// Names of MPI functions, which libovni-mpi.so knows where it is in the process.
#pragma once

#include <string_view>
#include <vector>

namespace ovni::region {

// The place is the number of the function. None without that library.
std::vector<std::string_view> mpi_function_names() noexcept;

}  // namespace ovni::region
