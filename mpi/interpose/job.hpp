// Begin and end of a traced MPI process: who it is among the others, the place of the trace, and the end of
// its streams.
#pragma once

#include <mpi.h>

namespace ovni::mpi {

// Call when MPI_Init begins: from here on the process records.
void start_recording() noexcept;

// Call then, before anything is recorded: a process that dies in MPI_Init leaves a stream, too. It has a loom
// of its own, because the ranks of a host agree on the indices of their CPUs only at the end of MPI_Init.
void introduce_provisionally() noexcept;

// Call when MPI_Init has succeeded. Collective over the traced ranks, on communicators of its own. After
// errors the process goes on with what it knows by itself.
void introduce_process() noexcept;

// Call before MPI ends. Collective over the traced ranks.
void part_from_ranks() noexcept;

// Call when MPI_Finalize is over.
void finish_recording() noexcept;

// Call before MPI_Abort ends the process.
void abort_recording(int code) noexcept;

}  // namespace ovni::mpi
