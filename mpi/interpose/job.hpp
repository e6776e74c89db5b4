// Beginning and end of a traced MPI process: who it is among the others, where the trace goes, and the end of
// its streams.
#pragma once

#include <mpi.h>

namespace ovni::mpi {

// MPI_Init is called: from here on the process records.
void start_recording() noexcept;

// MPI_Init has succeeded. Collective over MPI_COMM_WORLD; talks on communicators of its own, and errors there
// only leave the process with what it knows by itself.
void introduce_process() noexcept;

// MPI_Finalize is over.
void finish_recording() noexcept;

// The process is about to be ended by MPI_Abort.
void abort_recording(int code) noexcept;

}  // namespace ovni::mpi
