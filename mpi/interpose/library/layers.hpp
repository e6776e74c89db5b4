// Layers on the profiling interface of MPI: libraries of the program, or preloaded ones, that define MPI_x
// and call PMPI_x. A wrapper calls the function that the program would have called without it. So a layer
// behind this library gets each call of the program. The layer's own calls of PMPI_x are not recorded, and
// neither are its calls of MPI_x while another call is in progress.
//
// A layer inside the executable comes before this library. Its calls are recorded where it calls PMPI:
// imports.hpp.
#pragma once

#include "core/loaded_library.hpp"

namespace ovni::mpi {

// The MPI library of the process: none before one is loaded.
LoadedLibrary mpi_library() noexcept;
// The executable.
LoadedLibrary own_program() noexcept;
// True for this library and its relatives for other MPIs.
bool is_tracing_library(const LoadedLibrary& library) noexcept;

// The function of that name in the first library behind the tracing ones, in the loader's search order; null
// if there is none.
void* function_behind(const char* name) noexcept;

// The C function of that name in the first layer behind the tracing library. Null if there is none, or if the
// executable itself has one, because that calls PMPI.
void* function_of_layer(const char* name) noexcept;

}  // namespace ovni::mpi
