// The metadata of random streams: what must agree agrees, the rest is left to some of the threads.
#pragma once

#include "tests/support/random/actors.hpp"

namespace ovni::test::random_trace {

// The mark types of the trace.
void make_marks(World& world);
// The thread's stream, without events.
void add_stream(Thread& thread, TraceBuilder& trace);

}  // namespace ovni::test::random_trace
