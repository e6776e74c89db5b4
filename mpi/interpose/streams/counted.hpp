// Borders at which libovni-counters.so counts, if that is loaded: calls that are recorded, and regions. Each
// function of MPI has it in its selection; without counters nothing here is called for a call.
#pragma once

#include <cstdint>

#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

// Selects the calls that are recorded. Call when MPI_Init begins, behind select_functions().
void count_at_borders() noexcept;

// The border comes now, and its clock is read next.
[[gnu::cold]] void read_counters() noexcept;
// Records what was read, before the event of the border.
[[gnu::cold]] void emit_counters(uint64_t at) noexcept;
// Both for a call that begins: what the tracer itself uses at its borders counts for the call.
[[gnu::cold]] void count_enter(const Moment& moment) noexcept;

}  // namespace ovni::mpi
