// The placement events of processes that share CPUs, for ranks that follow the threads of each other.
#pragma once

#include <cstddef>
#include <vector>

#include "emu/placement_event.hpp"
#include "session/deal/parts.hpp"

namespace ovni {

struct Placements {
    std::vector<PlacementEvent> events;  // by (clock, stream), then as in the stream
    // Is all known that the streams of a process tell? It is not where events are missing, damaged or sorted.
    std::vector<bool> are_known;
    bool are_too_many = false;  // then none is known
};

// Finds those of the processes that are `wanted`. If they are at most so many, all ranks keep all of them.
// Every stream is read by one of the ranks that can read it. Collective; alike on all ranks.
Placements find_placements(const Ranks& ranks, const Trace& trace, const System& system,
                           const Readers& readers, const OpenStream& open, const std::vector<bool>& wanted,
                           size_t most);

}  // namespace ovni
