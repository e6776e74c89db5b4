#include "messages/plan_communicators.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <span>
#include <tuple>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// `group`: in an intercommunicator, the place of a list of members and which of its two groups; of
// MPI_COMM_SELF the process.
struct Key {
    uint32_t world = 0, group = 0;
    uint64_t id = 0;
    auto operator<=>(const Key&) const = default;
};

class Lists {
 public:
    explicit Lists(std::vector<MemberList> lists) {
        std::ranges::stable_sort(lists, {}, &MemberList::process);
        for (MemberList& list : lists) of_id_[list.communicator].push_back(std::move(list));
    }

    // The group of an intercommunicator with that rank of the world.
    uint32_t group_with(uint64_t id, uint32_t world, int rank) const {
        const std::span<const MemberList> lists = of(id);
        for (uint32_t l = 0; l < lists.size(); ++l)
            for (uint32_t group = 0; group < 2; ++group)
                if (lists[l].world == world &&
                    std::ranges::find(members(lists[l], group), rank) != members(lists[l], group).end())
                    return 2 * l + group;
        return MpiPlan::none;
    }
    // The ranks in the world; nothing if no list tells.
    std::vector<int32_t> members_of(const Key& key, size_t world_size, bool is_inter) const {
        const std::span<const MemberList> lists = of(key.id);
        if (is_inter) {
            if (key.group == MpiPlan::none) return {};
            const auto found = members(lists[key.group / 2], key.group % 2);
            return {found.begin(), found.end()};
        }
        const auto list = std::ranges::find(lists, key.world, &MemberList::world);
        if (list == lists.end()) return {};
        if (!list->members.empty()) return list->members;
        std::vector<int32_t> all;
        for (size_t rank = 0; rank < world_size; ++rank) all.push_back(static_cast<int32_t>(rank));
        return all;
    }

 private:
    std::span<const MemberList> of(uint64_t id) const {
        const auto known = of_id_.find(id);
        return known == of_id_.end() ? std::span<const MemberList>() : known->second;
    }
    // The remote group stands behind the local one.
    static std::span<const int32_t> members(const MemberList& list, uint32_t group) {
        const std::span<const int32_t> all = list.members;
        const size_t local = std::min<size_t>(list.size, all.size());
        return group == 0 ? all.first(local) : all.subspan(local);
    }

    std::map<uint64_t, std::vector<MemberList>> of_id_;
};

bool comes_before(const CommunicatorUse& a, const CommunicatorUse& b) {
    return std::tie(a.clock, a.stream, a.offset) < std::tie(b.clock, b.stream, b.offset);
}

// Members that no list names are those that call collectives.
MpiPlan::Members tasks_of(std::vector<int32_t> ranks, std::vector<std::pair<int32_t, int32_t>> callers,
                          size_t tasks) {
    if (ranks.empty()) {
        std::ranges::sort(callers);
        for (auto [rank, in_world] : callers) ranks.push_back(in_world);
    }
    MpiPlan::Members members;
    for (int32_t rank : ranks)
        if (rank >= 0 && static_cast<size_t>(rank) < tasks)
            members.push_back(static_cast<uint32_t>(rank) + 1);
    return members;
}

}  // namespace

CommunicatorNumbers add_communicators(MpiPlan& plan, const System& system, std::vector<CommunicatorUse> uses,
                                      std::vector<MemberList> lists) {
    const std::vector<ProcessFacts> facts = facts_of_processes(system);
    const Lists known(std::move(lists));
    CommunicatorNumbers numbers;
    for (const ProcessFacts& process : facts)
        if (system.processes()[process.process].rank)
            numbers[{process.process, OVNI_MPI_WORLD}] = {1, process.rank};
    std::ranges::sort(uses, comes_before);
    std::vector<uint32_t> last(plan.files.size(), 1);  // number, by world
    std::map<Key, uint32_t> number_of;
    std::map<Key, std::vector<std::pair<int32_t, int32_t>>> callers;  // rank there, rank in the world
    std::vector<std::pair<Key, bool>> in_order;                       // is it an intercommunicator?
    for (const CommunicatorUse& use : uses) {
        const ProcessFacts& process = facts[use.process];
        if (!system.processes()[use.process].rank) continue;
        const bool is_inter = (use.flags & OVNI_MPI_INTER) != 0;
        Key key{process.world, 0, use.id};
        if (use.id == OVNI_MPI_SELF) key.group = use.process;
        if (is_inter) key.group = known.group_with(use.id, process.world, process.rank);
        const auto [number, is_new] = number_of.try_emplace(key, last[process.world] + 1);
        if (is_new) {
            ++last[process.world];
            in_order.emplace_back(key, is_inter);
        }
        callers[key].emplace_back(use.rank, process.rank);
        numbers[{use.process, use.number}] = {number->second,
                                              is_inter ? KnownCommunicator::no_rank : use.rank};
    }
    for (const auto& [key, is_inter] : in_order) {
        MpiPlan::File& file = plan.files[key.world];
        std::vector<int32_t> ranks;
        if (key.id != OVNI_MPI_SELF) ranks = known.members_of(key, file.tasks.size(), is_inter);
        file.communicators.push_back(tasks_of(std::move(ranks), callers[key], file.tasks.size()));
    }
    return numbers;
}

}  // namespace ovni
