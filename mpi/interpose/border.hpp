// The border between a layer on the profiling interface and the MPI library: where the layer calls PMPI_Init
// and PMPI_Finalize. It may keep some ranks in its MPI_Init to work for the others, and end them there. So
// traced ranks meet each other at the border, where all of them come by.
#pragma once

namespace ovni::mpi {

// Call before MPI_Init is handed on, and has_met_at_border() when it is over: true if the process has met the
// others there.
void begin_above_border() noexcept;
bool has_met_at_border() noexcept;

// Call before MPI_Finalize is handed on. True if a layer does that, which takes the process by the border: it
// parts from the others there.
bool await_border() noexcept;

}  // namespace ovni::mpi
