// Layers on the profiling interface of MPI: libraries of the program, or preloaded ones, that define MPI_x
// and hand on to PMPI_x. A wrapper calls the function that the program would have called without it. So a
// layer behind this library gets each call of the program, and what it calls by PMPI_x is its own business:
// that is not recorded, as a call by MPI_x is not while another one is in progress.
//
// A layer inside the program comes before this library. Its calls are recorded where it hands them on to
// PMPI: imports.hpp.
#pragma once

#include "core/loaded_library.hpp"

namespace ovni::mpi {

// The MPI library of the process: none before one is loaded.
LoadedLibrary mpi_library() noexcept;
// The executable.
LoadedLibrary own_program() noexcept;
// True for this library and its relatives for other MPIs.
bool is_tracing_library(const LoadedLibrary& library) noexcept;

// The function of that name in the first library behind the tracing ones, as the loader searches; null if
// there is none.
void* function_behind(const char* name) noexcept;

// The function of that name, of C, in the first layer behind the tracing library; null if there is none, or
// if the program has one itself: it hands on to PMPI then.
void* function_of_layer(const char* name) noexcept;

}  // namespace ovni::mpi
