// The streams of a trace on all ranks: rank 0 finds them, every rank reads the metadata of its share, and all
// interpret all of it.
#pragma once

#include <filesystem>

#include "comm/comm.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Collective; throws Stopped.
Trace read_trace(const Comm& comm, const std::filesystem::path& directory);

}  // namespace ovni
