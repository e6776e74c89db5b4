// An MPI library whose handles are not those of the mpi.h that this library was built with: addresses in Open
// MPI and its relatives, numbers in MPICH and its relatives. Its calls are forwarded and nothing is recorded.
#pragma once

namespace ovni::mpi {

// True if the MPI library of the process is such a one. Decided when it is there, and kept.
bool is_foreign_library() noexcept;

// is_foreign_library() for MPI_Init: rank 0 prints one line if it is.
bool is_foreign_job() noexcept;

// "Open MPI" of "Open MPI v4.1.4, package: ..."; cuts the text of MPI_Get_library_version() there.
void cut_to_name(char* version) noexcept;

}  // namespace ovni::mpi
