// The streams of a trace on all ranks: rank 0 finds them, every rank reads the metadata of its share, and all
// interpret all of it.
#pragma once

#include <filesystem>

#include "comm/comm.hpp"
#include "tools/emulation.hpp"
#include "trace/trace.hpp"

namespace ovni {

// As open_trace(), with the same damages on all ranks. Collective; throws Stopped.
Trace read_trace(const Comm& comm, const EmulationOptions& options, std::vector<Damage>& damages);

}  // namespace ovni
