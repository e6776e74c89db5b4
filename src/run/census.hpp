// Counts what waits in a run directory, seen from outside.
#pragma once

#include <cstdint>
#include <vector>

#include "ring/session.hpp"

namespace ovni::run {

// All rings in use, of processes that live or died.
std::vector<writer::Ring> rings_in(const writer::Session& session);

// Records that a drainer has moved into the rings count there, not here.
uint64_t bytes_in_shared_buffers(const writer::Session& session);

struct Census {
    size_t processes = 0, alive = 0;
    uint64_t pending = 0;  // bytes that are in no stream, shared buffers included
};
Census census(const writer::Session& session, const std::vector<writer::Ring>& rings);

}  // namespace ovni::run
