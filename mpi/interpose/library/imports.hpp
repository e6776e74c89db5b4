// Binds calls of MPI functions that the loader does not bind to a wrapper:
//
// - Fortran routines. Their wrappers are exported under names of our own, so that a function of the program
//   that is called mpi_allreduce stays what it is. A library that asks another one for mpi_allreduce_ gets
//   the wrapper.
// - A program that has a layer on the profiling interface inside: what it hands on by PMPI_x.
// - Libraries that were loaded with RTLD_DEEPBIND: they find the MPI library before the wrappers.
// - Layers that hand MPI_Init and MPI_Finalize on to the MPI library, for who wants to know (Border).
//
// The addresses that the loader wrote, or will write at the first call, are replaced by those of the
// wrappers.
#pragma once

#include <span>

namespace ovni::mpi {

// A function that replaces the PMPI function of that name in layers that define it without the P.
struct Border {
    const char* name;
    void* function = nullptr;
    const void* crossed_by = nullptr;  // the library that calls it now, as LoadedLibrary::dynamic()
};

// Call once, before the program begins. `borders` stay.
void start_binding(std::span<Border> borders) noexcept;

// Binds the imports of all libraries that were loaded since the last call, if there is an MPI library. Called
// where MPI begins, and on x86-64 at each lookup in a library. So a Fortran library that is loaded later, and
// in which no symbol is looked up, is not recorded.
void bind_imports() noexcept;

}  // namespace ovni::mpi
