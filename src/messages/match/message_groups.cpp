#include "messages/match/message_groups.hpp"

#include <algorithm>

#include "ovni/mpi_events.h"

namespace ovni {

MessageGroups::MessageGroups(const System& system, std::vector<MemberList> lists)
    : worlds_(worlds(system)), facts_(facts_of_processes(system)) {
    std::ranges::sort(lists, {}, &MemberList::process);
    for (MemberList& list : lists) {
        std::vector<MemberList>& of_communicator = lists_[list.communicator];
        // Rank 0 of each group lists one; the streams of its threads may repeat it.
        const bool is_known = std::ranges::any_of(
            of_communicator, [&](const MemberList& known) { return known.process == list.process; });
        if (!is_known) of_communicator.push_back(std::move(list));
    }
}

bool MessageGroups::lack_processes() const {
    return std::ranges::any_of(
        worlds_, [](const World& world) { return world.processes.size() < static_cast<size_t>(world.size); });
}

uint32_t MessageGroups::in_world(uint32_t world, int32_t rank) const {
    if (world >= worlds_.size()) return unknown;
    auto known = worlds_[world].processes.find(rank);
    return known == worlds_[world].processes.end() ? unknown : known->second;
}

uint32_t MessageGroups::group_of(uint64_t communicator, uint32_t process) const {
    auto known = lists_.find(communicator);
    if (known == lists_.end()) return 0;
    const MemberList& first = known->second.front();
    if (facts_[process].world != first.world) return 1;
    const auto group = std::span(first.members).first(std::min<size_t>(first.size, first.members.size()));
    return std::ranges::find(group, facts_[process].rank) == group.end();
}

uint32_t MessageGroups::process_of(const MessageKey& key, int32_t rank, uint32_t group) const {
    if (key.communicator == OVNI_MPI_SELF) return key.scope - 1;
    if (key.communicator == OVNI_MPI_WORLD) return in_world(key.scope - 1, rank);
    auto known = lists_.find(key.communicator);
    if (known == lists_.end() || rank < 0) return unknown;
    const MemberList& list = known->second.front();
    if (list.members.empty()) return in_world(list.world, rank);
    // The remote group stands behind the local one; a group of another world is in a list of its own.
    const size_t place = static_cast<size_t>(rank) + (group == 0 ? 0 : list.size);
    if (place < list.members.size() && list.members[place] >= 0)
        return in_world(list.world, list.members[place]);
    if (group == 0 || known->second.size() < 2) return unknown;
    const MemberList& other = known->second[1];
    return static_cast<size_t>(rank) < other.members.size()
               ? in_world(other.world, other.members[static_cast<size_t>(rank)])
               : unknown;
}

uint32_t MessageGroups::sender(const MessageKey& key) const {
    return process_of(key, key.sender, key.group);
}

uint32_t MessageGroups::receiver(const MessageKey& key) const {
    const auto known = lists_.find(key.communicator);
    const bool is_inter = known != lists_.end() && (known->second.front().flags & OVNI_MPI_INTER) != 0;
    return process_of(key, key.receiver, is_inter ? 1 - key.group : 0);
}

}  // namespace ovni
