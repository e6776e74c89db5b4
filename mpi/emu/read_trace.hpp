// The streams of a trace on all ranks: each rank of a place lists and reads a share of them, and all ranks
// know the metadata of all.
#pragma once

#include <vector>

#include "mpi/comm/comm.hpp"
#include "mpi/emu/places.hpp"
#include "session/command/options.hpp"
#include "trace/clock_sources.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Does what open_trace() does, with equal damages on all ranks. Sets `places.of_stream`. Collective; throws
// Stopped.
Trace read_trace(const Comm& comm, const EmulationOptions& options, const ClockSources& clocks,
                 NodePlaces& places, std::vector<Damage>& damages);

// Reads the files about clocks that rank 0 sees: in its own directory of the trace first and, if that is
// node-local, then in the directory of the outputs. Collective; throws Stopped.
ClockSources read_clock_sources(const Comm& comm, const EmulationOptions& options, const NodePlaces& places);

}  // namespace ovni
