// An MPI library of another family than that of the mpi.h that this library was built with. ovnirun loads the
// tracing library for the MPI that a program is linked with. A program that loads its MPI later, such as an
// interpreter, may get the wrong tracing library. That library hands all calls over to its successor, the
// tracing library for the right family, even calls of functions that its own MPI lacks. Without a successor,
// calls are forwarded and not recorded.
#pragma once

namespace ovni::mpi {

// True if the MPI library of the process is foreign. Decided once, when that library is loaded.
bool is_foreign_library() noexcept;

// A wrapper of the successor, null if there is none or none is needed.
void* symbol_of_successor(const char* name) noexcept;

// Looks for the tracing library that hands calls over to this one. Call before is_of_predecessor().
void find_predecessor() noexcept;
// True if the address is code of the predecessor.
bool is_of_predecessor(const void* address) noexcept;

// is_foreign_library() for MPI_Init. If true and there is no successor, rank 0 prints one line.
bool is_foreign_job() noexcept;

// "Open MPI" of "Open MPI v4.1.4, package: ..."; cuts the text of MPI_Get_library_version() there.
void cut_to_name(char* version) noexcept;

}  // namespace ovni::mpi
