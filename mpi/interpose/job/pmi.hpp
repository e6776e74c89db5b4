// The name that MPICH's launcher (hydra) gives a job. It is in no environment variable, so the launcher is
// asked on the descriptor PMI_FD, in lines of PMI-1 ("PMI: A Scalable Parallel Process-Management Interface",
// the simple wire protocol). MPI asks for it in MPI_Init, too, and may begin the protocol again there. Only
// the name is asked for: this launcher ends the whole job if a rank looks for a key that no rank has set.
#pragma once

#include <cstddef>

namespace ovni::mpi {

// Gets the job's name, which is unique for that launcher; "" if hydra has not started this process, or does
// not answer within seconds. Call before PMPI_Init: later the descriptor belongs to MPI.
void ask_hydra_for_job(char* name, size_t room) noexcept;

}  // namespace ovni::mpi
