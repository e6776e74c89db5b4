// The rank that emulates each loom: heaviest looms first, each goes to the rank that has least to do. All
// ranks compute equal results.
#pragma once

#include <vector>

#include "emu/system.hpp"
#include "mpi/emu/places.hpp"

namespace ovni {

// Returns the rank of each loom: one of those that can read the loom's streams. The weight of a loom is the
// size of its streams in bytes.
std::vector<int> deal_looms(const Trace& trace, const System& system, const Places& places, int ranks);

}  // namespace ovni
