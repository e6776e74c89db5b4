// The rank that emulates each loom: heaviest looms first, each goes to the rank that has least to do. All
// ranks compute equal results.
#pragma once

#include <functional>
#include <vector>

#include "emu/system.hpp"

namespace ovni {

// Returns the rank of each loom: one of readers(stream), the ranks that can read a stream of it. The weight
// of a loom is the size of its streams in bytes.
using Readers = std::function<const std::vector<int>&(uint32_t stream)>;
std::vector<int> deal_looms(const Trace& trace, const System& system, int ranks, const Readers& readers);
// Every rank can read all streams.
std::vector<int> deal_looms(const Trace& trace, const System& system, int ranks);

}  // namespace ovni
