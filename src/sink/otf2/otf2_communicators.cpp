#include "sink/otf2/otf2_communicators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <set>

#include "ovni/mpi_events.h"
#include "sink/process_order.hpp"

namespace ovni {

// A member of a communicator, as a collective, a window or a file has it.
struct Otf2Communicators::Known {
    uint64_t id;
    int32_t rank;
    uint32_t process;
    auto operator<=>(const Known&) const = default;
};

Otf2Communicators::Otf2Communicators(const Ranks& ranks, const Schema& schema, const TrafficRows& traffic)
    : schema_(schema), place_of_(schema.processes.size(), unknown) {
    for (uint32_t process : processes_in_order(schema)) {
        if (!has_rank(schema.processes[process])) continue;
        place_of_[process] = static_cast<uint32_t>(processes_.size());
        processes_.push_back(process);
    }
    all_ = {{"MPI_COMM_SELF", {}}, {"all processes", {}}};
    for (uint32_t place = 0; place < processes_.size(); ++place) all_[of_all].members.push_back(place);
    add_worlds();
    std::set<Known> mine;
    for (const CollectiveRow& row : traffic.collectives)
        mine.insert({row.communicator, row.rank, schema.threads[static_cast<size_t>(row.thread)].process});
    for (const ObjectFacts& object : traffic.object_facts)
        if (object.rank >= 0 && object.key.communicator != 0)
            mine.insert({object.key.communicator, object.rank, object.process});
    std::vector<Known> known;
    for (const auto& of_rank : ranks.allgather(std::vector<Known>(mine.begin(), mine.end())))
        known.insert(known.end(), of_rank.begin(), of_rank.end());
    std::ranges::sort(known);
    add_known(known);
    for (const Communicator& communicator : all_) {
        std::map<uint32_t, uint32_t>& of_places = ranks_.emplace_back();
        for (uint32_t rank = 0; rank < communicator.members.size(); ++rank)
            of_places.emplace(communicator.members[rank], rank);
    }
}

void Otf2Communicators::add_worlds() {
    for (uint32_t place = 0; place < processes_.size(); ++place) {
        const uint32_t world = *schema_.processes[processes_[place]].world;
        if (world >= of_world_.size()) {
            of_world_.resize(world + 1, static_cast<uint32_t>(all_.size()));
            all_.push_back({world == 0 ? "MPI_COMM_WORLD" : fmt::format("MPI_COMM_WORLD {}", world + 1), {}});
        }
        all_[of_world_[world]].members.push_back(place);
    }
}

void Otf2Communicators::add_known(const std::vector<Known>& known) {
    for (const Known& member : known) {
        if (member.id == OVNI_MPI_WORLD || member.id == OVNI_MPI_SELF || place_of(member.process) == unknown)
            continue;
        const auto [number, is_new] = of_id_.emplace(member.id, static_cast<uint32_t>(all_.size()));
        if (is_new) all_.push_back({fmt::format("communicator {:#x}", member.id), {}});
        std::vector<uint32_t>& members = all_[number->second].members;
        if (std::ranges::find(members, place_of(member.process)) == members.end())
            members.push_back(place_of(member.process));
    }
}

uint32_t Otf2Communicators::number_of(uint64_t id, uint32_t process, uint32_t other) const {
    uint32_t number = of_all;
    const auto world = schema_.processes[process].world;
    if (id == OVNI_MPI_SELF && process == other)
        number = of_self;
    else if (id == OVNI_MPI_WORLD && world)
        number = of_world_[*world];
    else if (const auto known = of_id_.find(id); known != of_id_.end())
        number = known->second;
    const bool has_both =
        number == of_self || (rank_in(number, process) != unknown && rank_in(number, other) != unknown);
    return has_both ? number : of_all;
}

uint32_t Otf2Communicators::rank_in(uint32_t number, uint32_t process) const {
    if (number == of_self) return 0;
    const auto rank = ranks_[number].find(place_of(process));
    return rank == ranks_[number].end() ? unknown : rank->second;
}

}  // namespace ovni
