// The members of a random trace, and what the streams say about themselves.
#pragma once

#include "tests/support/random/actors.hpp"

namespace ovni::test::random_trace {

// Adds looms, processes and threads to the world, and their streams with metadata to the trace.
void lay_out(World& world, TraceBuilder& trace);

}  // namespace ovni::test::random_trace
