// The rank and the world of each process, and the members of communicators.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/communicators.hpp"
#include "emu/plan/system.hpp"
#include "messages/scan/found_ends.hpp"

namespace ovni {

// The world of each process, as worlds() counts them.
std::vector<ProcessFacts> facts_of_processes(const System& system);

// The members of a communicator as one of its processes lists them.
struct MemberList {
    uint64_t communicator = 0;
    uint32_t flags = 0, size = 0, world = 0, process = 0;
    std::vector<int32_t> members;  // ranks in that world; empty: those of the world
};

// Adds the lists that a process has recorded, of all communicators except MPI_COMM_WORLD and MPI_COMM_SELF.
void add_member_lists(const ProcessCommunicators& communicators, const ProcessFacts& process,
                      std::vector<MemberList>& lists);

}  // namespace ovni
