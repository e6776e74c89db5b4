// The CPU time that the process used between MPI_Init and MPI_Finalize, and how often it had to leave its CPU
// to others (getrusage). Both go into the metadata of the calling thread's stream: mpi.use.
#pragma once

namespace ovni::mpi {

// In MPI_Init.
void begin_cpu_use() noexcept;
// In MPI_Finalize.
void describe_cpu_use() noexcept;

}  // namespace ovni::mpi
