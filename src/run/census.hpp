// Counts rings, processes and unwritten bytes in a run directory, without draining it.
#pragma once

#include <cstdint>
#include <vector>

#include "ring/session.hpp"

namespace ovni::run {

// All rings in use, of living and dead processes.
std::vector<writer::Ring> rings_in(const writer::Session& session);

// Excludes records that a drainer has moved into rings.
uint64_t bytes_in_shared_buffers(const writer::Session& session);

struct Census {
    size_t processes = 0, alive = 0;
    uint64_t pending = 0;  // bytes not written to a stream yet, including those in shared buffers
};
Census census(const writer::Session& session, const std::vector<writer::Ring>& rings);

}  // namespace ovni::run
