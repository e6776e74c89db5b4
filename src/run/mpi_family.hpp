// The families of MPI libraries, whose binary interfaces differ: a program is traced by a library for its
// own.
#pragma once

#include <span>
#include <string>

namespace ovni::run {

// "openmpi" or "mpich" (and what shares its interface) by the libraries that a program is linked with,
// directly or by way of others. Empty if none is of MPI: a program may load its MPI later.
std::string mpi_family_among(std::span<const std::string> libraries);

}  // namespace ovni::run
