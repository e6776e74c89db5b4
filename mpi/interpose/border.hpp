// The border between a layer on the profiling interface and the MPI library: where the layer calls PMPI_Init
// and PMPI_Finalize. A layer may keep some ranks inside its MPI_Init to work for the others, and end them
// there. So traced ranks are introduced to each other at the border, which all of them pass.
#pragma once

namespace ovni::mpi {

// Call begin_above_border() before MPI_Init is forwarded, and is_introduced_at_border() when it is over: true
// if introduce_process() was called at the border.
void begin_above_border() noexcept;
bool is_introduced_at_border() noexcept;

// Call before MPI_Finalize is forwarded. True if a layer calls PMPI_Finalize: part_from_ranks() is then
// called at the border.
bool await_border() noexcept;

}  // namespace ovni::mpi
