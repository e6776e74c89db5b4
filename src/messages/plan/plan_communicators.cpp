#include "messages/plan/plan_communicators.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// `process`: that of MPI_COMM_SELF, else 0.
struct Key {
    uint32_t world = 0, process = 0;
    uint64_t id = 0;
    auto operator<=>(const Key&) const = default;
};

class Lists {
 public:
    explicit Lists(std::vector<MemberList> lists) {
        std::ranges::stable_sort(lists, {}, &MemberList::process);
        for (MemberList& list : lists) of_id_[list.communicator].push_back(std::move(list));
    }

    // The ranks in the world, of both groups of an intercommunicator; nothing if no list has them.
    std::vector<int32_t> members_of(const Key& key, size_t world_size) const {
        const auto lists = of_id_.find(key.id);
        if (lists == of_id_.end()) return {};
        const auto list = std::ranges::find(lists->second, key.world, &MemberList::world);
        if (list == lists->second.end()) return {};
        if (!list->members.empty()) return list->members;
        std::vector<int32_t> all;
        for (size_t rank = 0; rank < world_size; ++rank) all.push_back(static_cast<int32_t>(rank));
        return all;
    }

 private:
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
    std::vector<Key> in_order;
    for (const CommunicatorUse& use : uses) {
        const ProcessFacts& process = facts[use.process];
        if (!system.processes()[use.process].rank) continue;
        const bool is_inter = (use.flags & OVNI_MPI_INTER) != 0;
        Key key{process.world, 0, use.id};
        if (use.id == OVNI_MPI_SELF) key.process = use.process;
        const auto [number, is_new] = number_of.try_emplace(key, last[process.world] + 1);
        if (is_new) {
            ++last[process.world];
            in_order.push_back(key);
        }
        callers[key].emplace_back(use.rank, process.rank);
        numbers[{use.process, use.number}] = {number->second,
                                              is_inter ? KnownCommunicator::no_rank : use.rank};
    }
    for (const Key& key : in_order) {
        MpiPlan::File& file = plan.files[key.world];
        std::vector<int32_t> ranks;
        if (key.id != OVNI_MPI_SELF) ranks = known.members_of(key, file.tasks.size());
        file.communicators.push_back(tasks_of(std::move(ranks), callers[key], file.tasks.size()));
    }
    return numbers;
}

}  // namespace ovni
