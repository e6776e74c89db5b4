// The families of MPI libraries, whose binary interfaces differ: a program is traced by a library for its
// own.
#pragma once

#include <string>

namespace ovni::run {

// "openmpi" or "mpich" (and what shares its interface) if the program is linked with such a library, directly
// or by way of others. Empty if it is not, if it is a script, or if nothing is known of it: a program may
// load its MPI later.
std::string linked_mpi_family(const char* program);

}  // namespace ovni::run
