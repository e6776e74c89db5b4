// Begin and end of a traced MPI process: its identity in the job, the trace directory, and the end of its
// streams.
#pragma once

#include <mpi.h>

namespace ovni::mpi {

// Call when MPI_Init begins: the process records from here on.
void start_recording() noexcept;

// Call after start_recording(), before anything is recorded: a process that dies in MPI_Init leaves a stream,
// too. Such a process has its own loom, because the ranks of a host agree on the indices of their CPUs only
// at the end of MPI_Init.
void introduce_provisionally() noexcept;

// Call when MPI_Init has succeeded. Collective over the traced ranks, on the tracer's communicators. After an
// error the process goes on with what it knows without the others.
void introduce_process() noexcept;

// Call before MPI ends. Collective over the traced ranks.
void part_from_ranks() noexcept;

// Call when MPI_Finalize is over.
void finish_recording() noexcept;

// Call before MPI_Abort ends the process.
void abort_recording(int code) noexcept;

}  // namespace ovni::mpi
