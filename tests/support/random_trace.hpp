// Random traces that an emulator accepts: looms, processes and threads that start, pause, move between CPUs,
// call MPI functions and set marks, with many equal clocks. The same seed gives the same trace.
#pragma once

#include <cstdint>

#include "support/trace_builder.hpp"

namespace ovni::test {

struct RandomTrace {
    uint32_t seed = 1;
    int looms = 4;
    int processes = 2;     // of a loom
    int threads = 2;       // of a process
    int events = 400;      // of a thread
    bool punctual = true;  // with a mark type of punctual states
};

void build(TraceBuilder& trace, const RandomTrace& what);

}  // namespace ovni::test
