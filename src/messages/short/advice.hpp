// Advice on functions of MPI that keep other ranks waiting.
#pragma once

#include <cstdint>
#include <string_view>

namespace ovni {

// "": none. `function`: in mpi_function_rows, or outside_of_mpi.
std::string_view advice_on(uint32_t function);

}  // namespace ovni
