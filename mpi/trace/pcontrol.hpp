// What MPI_Pcontrol says to the tracer.
#pragma once

#include "mpi/trace/foreign_string.hpp"

namespace ovni::mpi {

// `name`: null where the program gave no readable string.
void obey(int level, const ForeignString* name) noexcept;

// Is a level one that a string makes a difference to?
bool takes_name(int level) noexcept;

}  // namespace ovni::mpi
