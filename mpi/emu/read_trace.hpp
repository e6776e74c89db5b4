// The streams of a trace on all ranks: at every place one rank finds them, all there read the metadata of
// their share, and all ranks interpret all of it.
#pragma once

#include <vector>

#include "mpi/comm/comm.hpp"
#include "mpi/emu/places.hpp"
#include "session/options.hpp"
#include "trace/clock_sources.hpp"
#include "trace/trace.hpp"

namespace ovni {

// As open_trace(), with the same damages on all ranks. `places` gets to know of the streams. Collective;
// throws Stopped.
Trace read_trace(const Comm& comm, const EmulationOptions& options, const ClockSources& clocks,
                 Places& places, std::vector<Damage>& damages);

// What rank 0 sees of clocks: in its own directory of the trace, or, where that is node-local, in that of the
// outputs. Collective; throws Stopped.
ClockSources read_clock_sources(const Comm& comm, const EmulationOptions& options, const Places& places);

}  // namespace ovni
