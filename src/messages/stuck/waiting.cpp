#include "messages/stuck/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "emu/plan/worlds.hpp"
#include "messages/stuck/rank_list.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

class Analysis {
 public:
    Analysis(const System& system, const OpenTrace& open) : system_(system), worlds_(worlds(system)) {
        world_of_.resize(system.processes().size(), nullptr);
        for (const World& world : worlds_)
            for (const auto& [rank, process] : world.processes) world_of_[process] = &world;
        for (const OpenProcess& process : open.processes) {
            open_[process.process] = &process;
            if (!process.has_all_turns) continue;
            for (const OpenCall& call : process.calls) learn_entered(process.process, call);
        }
        for (const CommunicatorOfProcess& known : open.communicators) learn(known);
    }

    Waiting run() {
        for (const auto& [process, open] : open_)
            for (const OpenCall& call : open->calls) add(process, call);
        find_circles();
        return std::move(result_);
    }

 private:
    struct Communicator {
        uint32_t flags = 0;
        const World* world = nullptr;  // whose ranks the members are
        std::vector<int32_t> members;
        std::string name;
        std::map<uint32_t, uint64_t> turns;  // by process
    };
    // The ids of MPI_COMM_WORLD and MPI_COMM_SELF are equal in all worlds.
    using Key = std::pair<const World*, uint64_t>;

    Key key_of(uint32_t process, uint64_t id) const {
        return {id <= OVNI_MPI_SELF ? world_of_[process] : nullptr, id};
    }

    void learn_entered(uint32_t process, const OpenCall& call) {
        for (const Awaited& operation : call.waits_for)
            if (operation.kind == AwaitedKind::collective && operation.communicator != 0 &&
                operation.communicator != OVNI_MPI_SELF)
                entered_[{key_of(process, operation.communicator), operation.turn}]
                        [name_of_collective(operation)]
                            .insert(process);
    }

    // Functions with counts of either type make one collective.
    static std::string_view name_of_collective(const Awaited& operation) {
        std::string_view name = mpi_function_rows[operation.function].name;
        if (name.ends_with("_c")) name.remove_suffix(2);
        return name;
    }

    void learn(const CommunicatorOfProcess& known) {
        Communicator& communicator = communicators_[key_of(known.process, known.facts.id)];
        communicator.flags |= known.facts.flags;
        communicator.turns[known.process] = known.turns;
        if (communicator.name.empty()) communicator.name = known.facts.name;
        if (communicator.members.size() < known.facts.members.size()) {
            communicator.members = known.facts.members;
            communicator.world = world_of_[known.process];
        }
    }

    const Communicator* find(uint32_t process, uint64_t id) const {
        auto known = communicators_.find(key_of(process, id));
        return known == communicators_.end() ? nullptr : &known->second;
    }

    // The rank of the peer; missing if it is unknown, or of another world.
    std::optional<int> rank_of_peer(uint32_t process, const Awaited& operation) const {
        if (operation.peer < 0 || !world_of_[process]) return std::nullopt;
        if (operation.communicator == OVNI_MPI_WORLD) return operation.peer;
        if (operation.communicator == OVNI_MPI_SELF) return system_.processes()[process].rank;
        const Communicator* known = find(process, operation.communicator);
        if (!known || known->flags & OVNI_MPI_INTER) return std::nullopt;
        if (known->flags & OVNI_MPI_OF_WORLD) return operation.peer;
        auto peer = static_cast<size_t>(operation.peer);
        if (known->world != world_of_[process] || peer >= known->members.size() || known->members[peer] < 0)
            return std::nullopt;
        return known->members[peer];
    }

    std::vector<int> members_of(uint32_t process, uint64_t id) const {
        std::vector<int> ranks;
        const World* world = world_of_[process];
        const Communicator* known = find(process, id);
        if (id == OVNI_MPI_WORLD || (known && known->flags & OVNI_MPI_OF_WORLD))
            for (const auto& [rank, other] : world->processes) ranks.push_back(rank);
        else if (known && known->world == world)
            for (int rank : known->members)
                if (rank >= 0) ranks.push_back(rank);
        return ranks;
    }

    bool is_traced(uint32_t process, int rank) const { return world_of_[process]->processes.contains(rank); }

    bool has_untraced_members(uint32_t process, uint64_t id) const {
        const World* world = world_of_[process];
        const Communicator* known = find(process, id);
        if (id == OVNI_MPI_WORLD || (known && known->flags & OVNI_MPI_OF_WORLD))
            return world->processes.size() < static_cast<size_t>(world->size);
        return known && known->world == world && (known->flags & OVNI_MPI_INTER) == 0 &&
               std::ranges::any_of(known->members,
                                   [&](int rank) { return rank >= 0 && !is_traced(process, rank); });
    }

    // Only ranks of the trace: nothing is known of others.
    std::vector<int> missing_in(uint32_t process, const Awaited& collective) const {
        std::vector<int> missing;
        const Communicator* known = find(process, collective.communicator);
        for (int rank : members_of(process, collective.communicator)) {
            auto other = world_of_[process]->processes.find(rank);
            if (other == world_of_[process]->processes.end()) continue;
            auto turns = known ? known->turns.find(other->second) : decltype(known->turns.end())();
            uint64_t reached = known && turns != known->turns.end() ? turns->second : 0;
            if (reached < collective.turn) missing.push_back(rank);
        }
        std::ranges::sort(missing);
        return missing;
    }

    // Ranks that came to another collective in its place, by the name of that.
    using RanksByName = std::map<std::string_view, std::vector<int>>;
    RanksByName elsewhere(uint32_t process, const Awaited& collective) const {
        RanksByName found;
        if (!open_.at(process)->has_all_turns) return found;
        auto entered = entered_.find({key_of(process, collective.communicator), collective.turn});
        if (entered == entered_.end()) return found;
        for (const auto& [name, processes] : entered->second) {
            if (name == name_of_collective(collective)) continue;
            for (uint32_t other : processes)
                if (world_of_[other] == world_of_[process])
                    found[name].push_back(system_.processes()[other].rank.value_or(-1));
        }
        for (auto& [name, ranks] : found) std::ranges::sort(ranks);
        return found;
    }

    std::vector<int> not_finalizing(uint32_t process) const {
        std::vector<int> missing;
        for (const auto& [rank, other] : world_of_[process]->processes) {
            auto known = open_.find(other);
            if (known == open_.end() || !known->second->is_finalizing) missing.push_back(rank);
        }
        return missing;
    }

    bool matches(uint32_t a, const Awaited& x, uint32_t b, const Awaited& y) const {
        auto is_to = [&](uint32_t from, const Awaited& operation, uint32_t to) {
            if (operation.kind == AwaitedKind::receive && operation.peer == OVNI_MPI_ANY) return true;
            auto rank = rank_of_peer(from, operation);
            return rank && world_of_[to] == world_of_[from] && system_.processes()[to].rank == *rank;
        };
        bool tags = x.tag == y.tag || x.tag == OVNI_MPI_ANY || y.tag == OVNI_MPI_ANY;
        return x.kind != AwaitedKind::collective && y.kind != AwaitedKind::collective &&
               x.communicator == y.communicator && tags &&
               (x.kind == AwaitedKind::send || y.kind == AwaitedKind::send) && is_to(a, x, b) &&
               is_to(b, y, a);
    }

    // A message is under way between two processes that wait for just that.
    bool is_under_way(uint32_t process, const Awaited& operation, int rank) const {
        auto peer = world_of_[process]->processes.find(rank);
        auto other = peer == world_of_[process]->processes.end() ? open_.end() : open_.find(peer->second);
        if (other == open_.end()) return false;
        for (const OpenCall& call : other->second->calls)
            for (const Awaited& its : call.waits_for)
                if (matches(process, operation, other->first, its)) return true;
        return false;
    }

    std::string name_of(uint32_t process, uint64_t id) const {
        if (id <= OVNI_MPI_SELF) return "";
        const Communicator* known = find(process, id);
        return known && !known->name.empty() ? fmt::format(", communicator '{}'", known->name)
                                             : fmt::format(", communicator {:x}", id);
    }

    std::string text_of(uint32_t process, const Awaited& operation) const {
        auto rank = rank_of_peer(process, operation);
        std::string peer =
            rank ? fmt::format("rank {}{}", *rank, is_traced(process, *rank) ? "" : " (not in this trace)")
            : operation.peer == OVNI_MPI_ANY ? "any rank"
                                             : fmt::format("its rank {}", operation.peer);
        std::string tag =
            operation.tag == OVNI_MPI_ANY ? ", any tag" : fmt::format(", tag {}", operation.tag);
        return peer + tag + name_of(process, operation.communicator);
    }

    void add(uint32_t process, const OpenCall& call) {
        WaitingCall waiting{process, call.stream, call.function, call.since, call.until, {}, {}};
        if (world_of_[process]) describe(waiting, process, call);
        result_.calls.push_back(std::move(waiting));
    }

    void describe(WaitingCall& waiting, uint32_t process, const OpenCall& call) const {
        if (mpi_function_rows[call.function].name == "MPI_Finalize") {
            waiting.needs = not_finalizing(process);
            waiting.what = not_entered(waiting.needs);
            return shorten(waiting.needs);
        }
        std::set<int> needs;
        for (const Awaited& operation : call.waits_for) {
            if (operation.kind == AwaitedKind::collective) {
                const std::vector<int> missing = missing_in(process, operation);
                std::string what = not_entered(missing);
                if (call.needs_all) needs.insert(missing.begin(), missing.end());
                for (const auto& [name, ranks] : elsewhere(process, operation)) {
                    if (call.needs_all) needs.insert(ranks.begin(), ranks.end());
                    what += fmt::format("{}{}, which {} come to {} instead", what.empty() ? "" : ", and for ",
                                        rank_list(ranks), ranks.size() == 1 ? "has" : "have", name);
                }
                if (what.empty() && has_untraced_members(process, operation.communicator))
                    what = "ranks that are not in this trace";
                if (waiting.what.empty() && !what.empty())
                    waiting.what = what + name_of(process, operation.communicator);
                continue;
            }
            auto rank = rank_of_peer(process, operation);
            if (rank && call.needs_all && !is_under_way(process, operation, *rank)) needs.insert(*rank);
            if (waiting.what.empty()) waiting.what = text_of(process, operation);
        }
        if (const size_t more = call.waits_for.size() - 1; call.waits_for.size() > 1)
            waiting.what +=
                call.needs_all ? fmt::format(" and {} more", more) : fmt::format(", or one of {} more", more);
        waiting.needs.assign(needs.begin(), needs.end());
        shorten(waiting.needs);
    }

    // Thousands of ranks may wait for thousands of others. A few of these are enough to find a circle.
    static void shorten(std::vector<int>& needs) {
        constexpr size_t most = 100;
        if (needs.size() > most) needs.resize(most);
    }

    static std::string not_entered(const std::vector<int>& missing) {
        if (missing.empty()) return "";
        return fmt::format("{}, which {} not entered it", rank_list(missing),
                           missing.size() == 1 ? "has" : "have");
    }

    // Each process that is found anew on the way back to itself closes a circle.
    void find_circles() {
        enum class Mark : uint8_t { fresh, on_way, done };
        constexpr size_t most_circles = 100;
        std::map<uint32_t, std::vector<uint32_t>> calls_of;
        for (uint32_t c = 0; c < result_.calls.size(); ++c) calls_of[result_.calls[c].process].push_back(c);
        std::map<uint32_t, Mark> marks;
        struct Step {
            uint32_t process;
            std::vector<std::pair<uint32_t, uint32_t>> next;  // call, process that it needs
            size_t at = 0;
        };
        auto step_to = [&](uint32_t process) {
            Step step{process, {}, 0};
            for (uint32_t c : calls_of[process])
                for (int rank : result_.calls[c].needs)
                    if (auto other = world_of_[process]->processes.find(rank);
                        other != world_of_[process]->processes.end() && other->second != process)
                        step.next.emplace_back(c, other->second);
            return step;
        };
        for (const auto& [start, unused] : open_) {
            if (marks[start] != Mark::fresh) continue;
            std::vector<Step> way;
            way.push_back(step_to(start));
            marks[start] = Mark::on_way;
            while (!way.empty()) {
                Step& here = way.back();
                if (here.at == here.next.size()) {
                    marks[here.process] = Mark::done;
                    way.pop_back();
                    continue;
                }
                uint32_t next = here.next[here.at++].second;
                if (marks[next] == Mark::fresh) {
                    marks[next] = Mark::on_way;
                    way.push_back(step_to(next));
                } else if (marks[next] == Mark::on_way && result_.circles.size() < most_circles) {
                    auto first = std::ranges::find(way, next, &Step::process);
                    std::vector<uint32_t>& circle = result_.circles.emplace_back();
                    for (; first != way.end(); ++first) circle.push_back(first->next[first->at - 1].first);
                }
            }
        }
    }

    const System& system_;
    std::vector<World> worlds_;
    std::vector<const World*> world_of_;           // null: the process has no rank
    std::map<uint32_t, const OpenProcess*> open_;  // by process
    std::map<Key, Communicator> communicators_;
    // Processes in a collective, by its turn and its name.
    std::map<std::pair<Key, uint64_t>, std::map<std::string_view, std::set<uint32_t>>> entered_;
    Waiting result_;
};

}  // namespace

std::vector<uint64_t> communicators_of(const std::vector<OpenProcess>& processes) {
    std::set<uint64_t> ids;
    for (const OpenProcess& process : processes)
        for (const OpenCall& call : process.calls)
            for (const Awaited& operation : call.waits_for) ids.insert(operation.communicator);
    ids.erase(0);
    return {ids.begin(), ids.end()};
}

Waiting who_waits(const System& system, const OpenTrace& open) {
    return Analysis(system, open).run();
}

}  // namespace ovni
