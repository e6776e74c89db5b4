#include "messages/costs/in_step.hpp"

#include <algorithm>
#include <set>

#include "messages/waits/collective_flow.hpp"
#include "messages/waits/visit_collectives.hpp"

namespace ovni {

namespace {

// A process at a collective that no member leaves before all have entered. Plain data.
struct Synchronised {
    int64_t time = 0;
    uint64_t communicator = 0;
    uint32_t scope = 0;
    uint32_t stream = 0;
};

bool is_blocking_collective(const CollectiveEnd& end) {
    return end.completed_in == end.stream && end.wait_begin == end.enter && end.wait_end == end.leave;
}

bool synchronises(std::span<const CollectiveEnd> members) {
    const CollectiveFlow flow = flow_of(members[0].function);
    return (flow == CollectiveFlow::barrier || flow == CollectiveFlow::fence ||
            flow == CollectiveFlow::n_to_n || flow == CollectiveFlow::members) &&
           members.size() == members[0].size && std::ranges::all_of(members, is_blocking_collective);
}

std::vector<Synchronised> synchronised(std::span<const CollectiveEnd> all) {
    std::vector<Synchronised> found;
    visit_collectives(all, [&](std::span<const CollectiveEnd> members) {
        const int64_t last = std::ranges::max(members, {}, &CollectiveEnd::enter).enter;
        if (!synchronises(members) || std::ranges::min(members, {}, &CollectiveEnd::leave).leave < last)
            return;
        for (const CollectiveEnd& member : members)
            found.push_back({last, member.communicator, member.scope, member.stream});
    });
    return found;
}

// The last of `times` that is not later than `time`; `never` if there is none.
int64_t last_until(const std::vector<int64_t>& times, int64_t time) {
    const auto later = std::ranges::upper_bound(times, time);
    return later == times.begin() ? InStep::never : *std::prev(later);
}

// Plain data.
struct Member {
    uint64_t communicator = 0;
    uint32_t scope = 0, process = 0;
    auto operator<=>(const Member&) const = default;
};

}  // namespace

InStep::InStep(const Ranks& ranks, const System& system, const StreamOwners& owners,
               std::span<const Meeting> meetings, std::span<const CollectiveEnd> collectives) {
    for (const Meeting& of : meetings) meetings_[std::minmax(of.process, of.cause)].push_back(of.end);
    for (auto& [pair, times] : meetings_) std::ranges::sort(times);
    const std::vector<Synchronised> mine = owners.deal(
        synchronised(collectives), [&](const Synchronised& at) { return owners.of_stream(at.stream); });
    std::set<Member> members;
    for (const Synchronised& at : mine)
        members.insert({at.communicator, at.scope, system.process_of_stream(at.stream)});
    std::vector<Member> all =
        ranks.broadcast(ranks.gather_joined(std::vector<Member>(members.begin(), members.end())));
    std::ranges::sort(all);
    std::map<Group, Processes> members_of;
    for (const Member& member : all)
        members_of[{member.communicator, member.scope}].push_back(member.process);
    // Copies of a communicator have its members.
    std::map<Processes, size_t> numbers;
    std::map<Group, size_t> set_of;
    for (const auto& [group, processes] : members_of) {
        const auto [known, is_new] = numbers.try_emplace(processes, sets_.size());
        if (is_new) sets_.push_back(processes);
        set_of[group] = known->second;
    }
    for (const Synchronised& at : mine)
        synchronised_[system.process_of_stream(at.stream)][set_of.at({at.communicator, at.scope})].push_back(
            at.time);
    for (auto& [process, sets] : synchronised_)
        for (auto& [set, times] : sets) std::ranges::sort(times);
}

int64_t InStep::before(uint32_t process, uint32_t other, int64_t time) const {
    int64_t last = never;
    if (auto known = meetings_.find(std::minmax(process, other)); known != meetings_.end())
        last = last_until(known->second, time);
    auto sets = synchronised_.find(process);
    if (sets == synchronised_.end()) return last;
    for (const auto& [set, times] : sets->second)
        if (std::ranges::binary_search(sets_[set], other)) last = std::max(last, last_until(times, time));
    return last;
}

}  // namespace ovni
