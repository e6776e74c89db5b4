#include "messages/scan/process_facts.hpp"

#include "emu/plan/worlds.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

std::vector<ProcessFacts> facts_of_processes(const System& system) {
    std::vector<ProcessFacts> facts(system.processes().size());
    for (uint32_t p = 0; p < facts.size(); ++p) facts[p].process = p;
    uint32_t number = 0;
    for (const World& world : worlds(system)) {
        for (auto [rank, process] : world.processes) facts[process] = {process, number, rank, world.size};
        ++number;
    }
    return facts;
}

void add_member_lists(const ProcessCommunicators& communicators, const ProcessFacts& process,
                      std::vector<MemberList>& lists) {
    for (const auto& [number, known] : communicators.all()) {
        // Rank 0 lists the members, unless they are those of the world.
        const bool is_listed =
            !known.members.empty() || (known.rank == 0 && (known.flags & OVNI_MPI_OF_WORLD) != 0);
        if (number > OVNI_MPI_SELF && is_listed)
            lists.push_back(
                {known.id, known.flags, known.size, process.world, process.process, known.members});
    }
}

}  // namespace ovni
