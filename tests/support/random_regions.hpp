// Random programs of MPI with regions of MPI_Pcontrol that are nested and visited several times: "solve" may
// be inside of itself, "halo" inside of it, "output" alone.
#pragma once

#include <cstdint>

#include "tests/support/trace_builder.hpp"

namespace ovni::test {

// Two ranks per loom.
void build_regions(TraceBuilder& trace, uint32_t seed, int ranks);

}  // namespace ovni::test
