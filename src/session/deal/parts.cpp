#include "session/deal/parts.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <set>

#include "base/log.hpp"
#include "session/deal/cpu_uses.hpp"
#include "session/deal/placements.hpp"

namespace ovni {

namespace {

std::vector<uint64_t> bytes_of_parts(const Trace& trace, const System& system, const Parts& parts) {
    std::vector<uint64_t> bytes(parts.count);
    for (const ThreadInfo& thread : system.threads())
        bytes[parts.of_process[thread.process]] += trace.streams()[thread.stream].bytes;
    return bytes;
}

std::vector<uint64_t> loads(const std::vector<uint64_t>& bytes, const std::vector<int>& rank_of_part,
                            int ranks) {
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    for (size_t part = 0; part < bytes.size(); ++part)
        load[static_cast<size_t>(rank_of_part[part])] += bytes[part];
    return load;
}

// Parts, and the rank of each.
struct Dealt {
    Parts parts;
    std::vector<int> rank_of_part;
    std::vector<uint64_t> load;  // by rank, in bytes

    uint64_t heaviest() const { return std::ranges::max(load); }
    // False if one rank has so much more than the mean that the others wait for it.
    bool is_balanced() const {
        constexpr uint64_t percent = 100, most_percent = 110;
        const uint64_t all = std::accumulate(load.begin(), load.end(), uint64_t{0});
        return heaviest() * percent * load.size() <= all * most_percent;
    }
    int rank_of(uint32_t process) const { return rank_of_part[parts.of_process[process]]; }
};

// Finds the work of one rank, from large parts to small ones.
class WorkFinder {
 public:
    WorkFinder(const Ranks& ranks, const Trace& trace, const System& system, const Readers& readers,
               const OpenStream& open)
        : ranks_(ranks),
          trace_(trace),
          system_(system),
          readers_(readers),
          open_(open),
          dealt_(deal_parts(Parts::looms(system))) {}

    // Processes that share CPUs stay together if there is a reason for that.
    void divide_looms(std::string_view together) {
        if (dealt_.is_balanced() || system_.processes().size() == system_.looms().size()) return;
        const std::vector<CpuUse> uses = find_cpu_uses(ranks_, trace_, system_, readers_, open_);
        dealt_ = deal_parts(parts_apart(system_, uses));
        if (dealt_.is_balanced() || dealt_.parts.count == system_.processes().size()) return;
        if (together.empty())
            divide_groups(uses);
        else
            together_ = together;
    }
    void tell_idle() const {
        const size_t busy = std::set<int>(dealt_.rank_of_part.begin(), dealt_.rank_of_part.end()).size();
        if (!ranks_.is_root() || busy == static_cast<size_t>(ranks_.size())) return;
        const std::string_view advice = together_ == too_little || together_ == missing
                                            ? ""
                                            : " (record with mpirun --bind-to core to keep them apart)";
        log::info("{} of {} ranks or threads have work: the trace has {} processes{}", busy, ranks_.size(),
                  system_.processes().size(),
                  together_.empty()
                      ? ""
                      : fmt::format(", and those that share CPUs stay together {}{}", together_, advice));
    }
    Work work() {
        Work work;
        for (uint32_t p = 0; p < system_.processes().size(); ++p)
            work.share.processes.push_back(dealt_.rank_of(p) == ranks_.rank());
        for (const uint32_t part : dealt_.parts.of_cpu)
            work.share.cpus.push_back(dealt_.rank_of_part[part] == ranks_.rank());
        if (groups_.count > 0) share_groups(work);
        return work;
    }

 private:
    Dealt deal_parts(Parts parts) const {
        Dealt dealt;
        dealt.rank_of_part = deal(trace_, system_, parts, ranks_.size(), readers_);
        dealt.load = loads(bytes_of_parts(trace_, system_, parts), dealt.rank_of_part, ranks_.size());
        dealt.parts = std::move(parts);
        return dealt;
    }
    // The parts are groups of processes that share CPUs.
    void divide_groups(const std::vector<CpuUse>& uses) {
        const Parts groups = dealt_.parts;
        most_ = find_most();
        std::vector<bool> divided(groups.count, true);
        const uint64_t alone = deal_parts(single_processes(system_, groups, divided, uses)).heaviest();
        if (alone > most_) {
            together_ = too_little;
            return;
        }
        std::vector<uint32_t> members(groups.count);
        for (const uint32_t group : groups.of_process) ++members[group];
        std::vector<bool> wanted;
        for (const uint32_t group : groups.of_process) wanted.push_back(members[group] > 1);
        Placements found =
            find_placements(ranks_, trace_, system_, readers_, open_, wanted, most_placements(alone));
        for (uint32_t p = 0; p < wanted.size(); ++p)
            if (!found.are_known[p]) divided[groups.of_process[p]] = false;
        if (!std::ranges::all_of(divided, std::identity()))
            together_ = found.are_too_many ? too_often : missing;
        Dealt singles = deal_parts(single_processes(system_, groups, divided, uses));
        add_following(singles, groups, found.events);
        if (singles.heaviest() > most_) {
            if (together_.empty()) together_ = too_often;
            return;
        }
        dealt_ = std::move(singles);
        groups_ = groups;
        placements_ = std::move(found.events);
    }
    // The load of the heaviest rank up to which it pays to search and exchange more. Tests divide small
    // traces.
    uint64_t find_most() const {
        const bool is_test = ranks_.broadcast(int{std::getenv("OVNI_TEST_SHARE_CPUS") != nullptr}) != 0;
        return is_test ? no_limit : dealt_.heaviest() / 4 * 3;
    }
    // More placement events cost too much, or take too much memory: half a million take 29 MB on each rank.
    size_t most_placements(uint64_t heaviest) const {
        constexpr uint64_t most_in_memory = uint64_t{1} << 19;
        const uint64_t in_a_group = (most_ - heaviest) / bytes_of_placement;
        return std::min(most_in_memory, std::min(most_in_memory, in_a_group) * dealt_.parts.count);
    }
    void add_following(Dealt& dealt, const Parts& groups, const std::vector<PlacementEvent>& events) const {
        std::vector<uint64_t> cost(groups.count);
        for (const PlacementEvent& event : events)
            cost[groups.of_process[system_.process_of_stream(event.stream)]] += bytes_of_placement;
        const auto ranks_of = ranks_of_groups(dealt, groups);
        for (uint32_t group = 0; group < groups.count; ++group)
            if (ranks_of[group].size() > 1)
                for (const int rank : ranks_of[group]) dealt.load[static_cast<size_t>(rank)] += cost[group];
    }
    std::vector<std::set<int>> ranks_of_groups(const Dealt& dealt, const Parts& groups) const {
        std::vector<std::set<int>> ranks(groups.count);
        for (uint32_t p = 0; p < system_.processes().size(); ++p)
            ranks[groups.of_process[p]].insert(dealt.rank_of(p));
        return ranks;
    }
    // A group whose processes are on several ranks is shared by all of these.
    void share_groups(Work& work) {
        const auto ranks_of = ranks_of_groups(dealt_, groups_);
        const auto is_shared_here = [&](uint32_t group) {
            return ranks_of[group].size() > 1 && ranks_of[group].contains(ranks_.rank());
        };
        for (const uint32_t group : groups_.of_process)
            work.share.shared_processes.push_back(is_shared_here(group));
        for (const uint32_t group : groups_.of_cpu) work.share.shared_cpus.push_back(is_shared_here(group));
        work.shares_cpus = std::ranges::any_of(ranks_of, [](const auto& ranks) { return ranks.size() > 1; });
        std::erase_if(placements_, [&](const PlacementEvent& event) {
            const uint32_t process = system_.process_of_stream(event.stream);
            return !work.share.shares(process) || work.share.plays(process);
        });
        work.followed = std::move(placements_);
    }

    // To follow an event costs as much as to play so many bytes of a stream.
    static constexpr uint64_t bytes_of_placement = 160;
    static constexpr uint64_t no_limit = UINT64_MAX;
    static constexpr std::string_view too_often = "if they pause and move too often",
                                      too_little = "where dividing them would save too little",
                                      missing = "where events are missing or sorted";

    const Ranks& ranks_;
    const Trace& trace_;
    const System& system_;
    const Readers& readers_;
    const OpenStream& open_;
    Dealt dealt_;
    uint64_t most_ = no_limit;
    std::string_view together_;  // why processes that share CPUs are not divided
    // If some are: the groups that they come from, and all placement events.
    Parts groups_;
    std::vector<PlacementEvent> placements_;
};

}  // namespace

Parts Parts::looms(const System& system) {
    Parts parts;
    parts.count = static_cast<uint32_t>(system.looms().size());
    for (const ProcessInfo& process : system.processes()) parts.of_process.push_back(process.loom);
    for (const CpuInfo& cpu : system.cpus()) parts.of_cpu.push_back(cpu.loom);
    return parts;
}

Work Work::whole(const System& system) {
    return {Share::whole(system), {}, false};
}

Readers all_ranks(int ranks) {
    std::vector<int> all(static_cast<size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return [all = std::move(all)](uint32_t /*stream*/) -> const std::vector<int>& { return all; };
}

std::vector<int> deal(const Trace& trace, const System& system, const Parts& parts, int ranks,
                      const Readers& readers) {
    const std::vector<uint64_t> bytes = bytes_of_parts(trace, system, parts);
    std::vector<const std::vector<int>*> readers_of_part(parts.count);
    for (const ThreadInfo& thread : system.threads())
        readers_of_part[parts.of_process[thread.process]] = &readers(thread.stream);
    std::vector<size_t> heaviest_first(bytes.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), size_t{0});
    std::ranges::stable_sort(heaviest_first, std::greater(), [&](size_t part) { return bytes[part]; });
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    std::vector<int> rank_of_part(bytes.size());
    for (size_t part : heaviest_first) {
        auto load_of = [&](int rank) -> uint64_t& { return load[static_cast<size_t>(rank)]; };
        int least = *std::ranges::min_element(*readers_of_part[part], {}, load_of);
        load_of(least) += bytes[part];
        rank_of_part[part] = least;
    }
    return rank_of_part;
}

Work find_work(const Ranks& ranks, const Trace& trace, const System& system, const Readers& readers,
               const OpenStream& open, std::string_view together) {
    if (ranks.is_alone()) return Work::whole(system);
    WorkFinder finder(ranks, trace, system, readers, open);
    finder.divide_looms(together);
    finder.tell_idle();
    return finder.work();
}

}  // namespace ovni
