// Which rank emulates which loom: heaviest first, each to the rank that has least to do. The same on every
// rank.
#pragma once

#include <vector>

#include "emu/system.hpp"
#include "mpi/emu/places.hpp"

namespace ovni {

// By loom: its rank, one of those that are where its streams are. The weight of a loom is the size of its
// streams in bytes.
std::vector<int> deal_looms(const Trace& trace, const System& system, const Places& places, int ranks);

}  // namespace ovni
