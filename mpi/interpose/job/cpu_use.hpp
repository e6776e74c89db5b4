// The use of the CPUs of the process between MPI_Init and MPI_Finalize: the CPU time that it uses, how
// often it has to leave its CPU to others (getrusage), and how long all programs together use these CPUs
// (/proc/stat). The numbers go into the metadata of the calling thread's stream: mpi.use.
#pragma once

namespace ovni::mpi {

// In MPI_Init.
void begin_cpu_use() noexcept;
// In MPI_Finalize.
void describe_cpu_use() noexcept;

}  // namespace ovni::mpi
