// Markers: levels of MPI_Pcontrol that mean nothing to the tracer, shown as instants of mark type 98.
#pragma once

#include "mpi/interpose/streams/thread.hpp"

namespace ovni::mpi {

void mark_level(Thread& thread, int level) noexcept;

}  // namespace ovni::mpi
