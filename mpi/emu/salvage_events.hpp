// --keep-going on many ranks: every rank emulates its looms without outputs, and all ranks cut the streams
// that any rank found faulty.
#pragma once

#include "mpi/comm/comm.hpp"
#include "mpi/emu/places.hpp"
#include "session/salvage/dry_run.hpp"

namespace ovni {

// Does what salvage_events() does in one process, with equal results on all ranks. Collective; throws
// Stopped.
void salvage_events(const Comm& comm, Trace& trace, const NodePlaces& places, const DryRunOptions& options,
                    std::vector<Damage>& damages);

}  // namespace ovni
