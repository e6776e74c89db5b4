// If libovni-counters.so is loaded, counters are read where recorded calls and regions begin and end.
// Selected::counted marks the functions, so a call costs nothing here without counters.
#pragma once

#include <cstdint>

#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

// Marks all recorded functions. Call when MPI_Init begins, after select_functions().
void count_at_borders() noexcept;

// Reads the counters. Call just before the clock of the border is read.
[[gnu::cold]] void read_counters() noexcept;
// Records these values. Call before the event of the border.
[[gnu::cold]] void emit_counters(uint64_t at) noexcept;
// Reads and records counters where a call begins. The tracer's own work there counts for the call.
[[gnu::cold]] void count_enter(const Moment& moment) noexcept;

}  // namespace ovni::mpi
