// The part of a trace that an emulation on many ranks is to show: rank 0 cuts it, all ranks read it.
#pragma once

#include <memory>

#include "cut/trace_part.hpp"
#include "mpi/comm/comm.hpp"
#include "session/command/options.hpp"

namespace ovni {

// Does what cut_part() does. Options are equal on all ranks; the result is null except on rank 0. Collective;
// throws Stopped.
std::unique_ptr<TracePart> cut_for_all(const Comm& comm, EmulationOptions& options);

}  // namespace ovni
