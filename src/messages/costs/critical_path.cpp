#include "messages/costs/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "base/printable.hpp"
#include "calls/mpi_functions.hpp"
#include "emu/plan/rank_names.hpp"
#include "messages/costs/process_profile.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

// A wait.
struct PathStep {
    uint32_t process = 0, cause = 0;
    int64_t begin = 0, end = 0;
};

struct Lifetime {
    uint32_t process = 0;
    uint32_t stream = 0;
    int64_t begin = 0, end = 0;
};

std::vector<PathPart> walk_back(std::vector<PathStep> steps, const std::vector<Lifetime>& lives,
                                size_t processes) {
    if (lives.empty()) return {};
    std::ranges::sort(steps, {},
                      [](const PathStep& s) { return std::tuple(s.process, s.end, s.begin, s.cause); });
    // Waits of each process from the last to the first; each is visited once.
    std::vector<std::span<const PathStep>> rest(processes);
    for (size_t i = 0; i < steps.size();) {
        size_t end = i;
        while (end < steps.size() && steps[end].process == steps[i].process) ++end;
        rest[steps[i].process] = std::span(steps).subspan(i, end - i);
        i = end;
    }
    std::vector<Lifetime> life_of(processes, Lifetime{0, 0, INT64_MAX, 0});
    for (const Lifetime& life : lives) life_of[life.process] = life;
    const Lifetime last = *std::ranges::max_element(
        lives, {}, [](const Lifetime& life) { return std::pair(life.end, -int64_t{life.process}); });
    std::vector<PathPart> parts;
    uint32_t process = last.process;
    for (int64_t time = last.end;;) {
        std::span<const PathStep>& waits = rest[process];
        while (!waits.empty() && waits.back().end > time) waits = waits.first(waits.size() - 1);
        const int64_t begin = waits.empty() ? life_of[process].begin : waits.back().end;
        if (begin < time) parts.push_back({process, life_of[process].stream, begin, time});
        if (waits.empty()) break;
        time = std::min(time, begin);
        process = waits.back().cause;
        waits = waits.first(waits.size() - 1);
    }
    std::ranges::reverse(parts);
    return parts;
}

// Adds up what a part of the path consists of.
class PartSums {
 public:
    explicit PartSums(const std::vector<RegionChange>& regions) : regions_(regions) {}

    void add(const PathPart& part, const ProcessTimes& times) {
        visit_profile(times, regions_, part.begin, part.end,
                      [&](const Activity& activity, int64_t begin, int64_t end) {
                          PathSum& sum = sums_[{times.process, activity}];
                          sum = {times.process, 0, activity, sum.ns + end - begin};
                      });
    }
    std::vector<PathSum> all() const {
        std::vector<PathSum> all;
        for (const auto& [key, sum] : sums_) all.push_back(sum);
        return all;
    }

 private:
    ThreadRegions regions_;
    std::map<std::pair<uint32_t, Activity>, PathSum> sums_;
};

}  // namespace

CriticalPath find_critical_path(const Ranks& ranks, const System& system, std::span<const Wait> waits,
                                const std::vector<ProcessTimes>& times,
                                const std::vector<RegionChange>& regions) {
    // The path begins where MPI_Init ends.
    std::vector<PathStep> steps;
    for (const Wait& wait : waits)
        if (wait.cause_stream != MessageEnd::no_stream && !is_init(mpi_function_rows[wait.function]))
            steps.push_back({system.process_of_stream(wait.stream),
                             system.process_of_stream(wait.cause_stream), wait.begin, wait.end});
    std::vector<Lifetime> lives;
    for (const ProcessTimes& of : times) lives.push_back({of.process, of.stream, of.begin, of.end});
    steps = ranks.gather_joined(steps);
    lives = ranks.gather_joined(lives);
    CriticalPath path;
    if (ranks.is_root()) path.parts = walk_back(std::move(steps), lives, system.processes().size());
    path.parts = ranks.broadcast(std::move(path.parts));
    std::map<uint32_t, const ProcessTimes*> mine;
    for (const ProcessTimes& of : times) mine[of.process] = &of;
    PartSums sums(regions);
    for (const PathPart& part : path.parts)
        if (auto known = mine.find(part.process); known != mine.end()) sums.add(part, *known->second);
    path.sums = ranks.gather_joined(sums.all());
    std::ranges::sort(path.sums, {}, [](const PathSum& s) { return std::pair(s.process, s.activity); });
    return path;
}

std::vector<std::string> critical_path_lines(const CriticalPath& path, const System& system,
                                             const CallSites& sites) {
    constexpr size_t most = 5;
    using Caller = std::pair<uint32_t, uint32_t>;  // function and site
    std::map<uint32_t, int64_t> by_process, by_function;
    std::map<Caller, int64_t> by_site;
    int64_t all = 0;
    for (const PathSum& sum : path.sums) {
        by_process[sum.process] += sum.ns;
        by_function[sum.activity.function] += sum.ns;
        if (sum.activity.site != MpiCaller::unknown)
            by_site[{sum.activity.function, sum.activity.site}] += sum.ns;
        all += sum.ns;
    }
    if (all == 0) return {};
    const RankNames names(system);
    auto line = [&]<class Key>(const std::map<Key, int64_t>& sums, auto name_of) {
        std::vector<std::pair<Key, int64_t>> rows(sums.begin(), sums.end());
        std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second; });
        std::string text;
        for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
            constexpr double percent = 100;
            text += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", name_of(rows[i].first),
                                percent * static_cast<double>(rows[i].second) / static_cast<double>(all));
        }
        return text;
    };
    std::vector<std::string> lines{
        "critical path, by rank: " + line(by_process, [&](uint32_t process) { return names.full(process); }),
        "critical path, by what runs: " + line(by_function, [&](uint32_t function) {
            return std::string(function == outside_of_mpi ? "outside of MPI"
                                                          : mpi_function_rows[function].name);
        })};
    if (!by_site.empty())
        lines.push_back("critical path, by call: " + line(by_site, [&](const Caller& caller) {
                            return fmt::format("{} ({})", mpi_function_rows[caller.first].name,
                                               one_line(sites.line_of(caller.second)));
                        }));
    return lines;
}

// Clocks of nodes may be wrong a little at each step of the path.
std::optional<std::string> contradiction_of(const CriticalPath& path, const Efficiencies& efficiencies) {
    constexpr double tolerance = 1.05, second = 1e-9;
    if (efficiencies.all.empty() || efficiencies.out_of_order > 0) return std::nullopt;
    int64_t computes = 0;
    for (const PathSum& sum : path.sums)
        if (sum.activity.function == outside_of_mpi) computes += sum.ns;
    const int64_t ideal = efficiencies.all.front().ideal_runtime;
    if (ideal <= 0 || static_cast<double>(computes) <= tolerance * static_cast<double>(ideal))
        return std::nullopt;
    return fmt::format(
        "the critical path computes for {:.3f} s, but the run in an ideal network would take {:.3f} s: "
        "some waits, such as those for windows, are not followed there. Serialisation is greater than the "
        "efficiencies say, and transfer less.",
        static_cast<double>(computes) * second, static_cast<double>(ideal) * second);
}

}  // namespace ovni
