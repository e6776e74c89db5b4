#include "messages/costs/in_step.hpp"

#include <algorithm>
#include <set>

#include "messages/waits/collective_flow.hpp"
#include "messages/waits/visit_collectives.hpp"

namespace ovni {

namespace {

// A process at a collective that nobody leaves before all have entered. Plain data.
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
            flow == CollectiveFlow::n_to_n) &&
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

// The last one that is not later; `never`: none.
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
    for (const Synchronised& at : mine) {
        const uint32_t process = system.process_of_stream(at.stream);
        synchronised_[process][{at.communicator, at.scope}].push_back(at.time);
        members.insert({at.communicator, at.scope, process});
    }
    for (auto& [process, groups] : synchronised_)
        for (auto& [group, times] : groups) std::ranges::sort(times);
    std::vector<Member> all =
        ranks.broadcast(ranks.gather_joined(std::vector<Member>(members.begin(), members.end())));
    std::ranges::sort(all);
    for (const Member& member : all) members_[{member.communicator, member.scope}].push_back(member.process);
}

int64_t InStep::before(uint32_t process, uint32_t other, int64_t time) const {
    int64_t last = never;
    if (auto known = meetings_.find(std::minmax(process, other)); known != meetings_.end())
        last = last_until(known->second, time);
    auto groups = synchronised_.find(process);
    if (groups == synchronised_.end()) return last;
    for (const auto& [group, times] : groups->second)
        if (std::ranges::binary_search(members_.at(group), other))
            last = std::max(last, last_until(times, time));
    return last;
}

}  // namespace ovni
