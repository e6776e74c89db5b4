#include "messages/hybrid/hybrid_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/printable.hpp"
#include "emu/plan/rank_names.hpp"

namespace ovni {

namespace {

constexpr size_t most_ranks = 32;

double percent_of(int64_t part, int64_t whole) {
    return whole <= 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

double in_seconds(int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

std::string shares_of(const UseTimes& times) {
    std::string text;
    for (const int64_t time : times) text += fmt::format(" {:>10.1f}", percent_of(time, life_of(times)));
    return text;
}

std::string heads_of_uses() {
    std::string text;
    for (const std::string_view name : use_names) text += fmt::format(" {:>10}", name);
    return text;
}

void add_factors(const HybridEfficiency& of, std::vector<std::string>& lines) {
    lines.push_back(fmt::format("{} threads of {} processes", of.threads, of.processes));
    const auto add = [&](std::string_view name, double value) {
        lines.push_back(fmt::format("{:<32}{:.3f}", name, value));
    };
    add("hybrid parallel efficiency", of.parallel());
    add("  MPI parallel efficiency", of.mpi_parallel());
    add("    MPI load balance", of.mpi_balance);
    add("    MPI communication efficiency", of.mpi_communication());
    add("  thread efficiency", of.threads_parallel());
    for (const FactorRow& row : hybrid_factors) add(fmt::format("    {}", row.name), of.factor(row.use));
}

void add_regions(const std::vector<HybridEfficiency>& all, const std::map<int64_t, std::string>& regions,
                 std::vector<std::string>& lines) {
    if (all.size() < 2) return;
    lines.push_back("");
    lines.push_back(fmt::format("{:>7} {:>12} {:>9} {:>9} {:>9}  {}", "threads", "seconds", "hybrid", "MPI",
                                "threads", "region"));
    for (const HybridEfficiency& of : all) {
        if (of.region == 0) continue;
        const auto name = regions.find(of.region);
        lines.push_back(
            fmt::format("{:>7} {:>12.6f} {:>9.3f} {:>9.3f} {:>9.3f}  {}", of.threads, in_seconds(of.runtime),
                        of.parallel(), of.mpi_parallel(), of.threads_parallel(),
                        name == regions.end() ? fmt::format("{}", of.region) : one_line(name->second)));
    }
}

// The ranks with least useful time come first if not all are shown.
void add_ranks(const ThreadUseFacts& uses, const System& system, std::vector<std::string>& lines) {
    std::vector<ProcessUse> ranks;
    for (const ProcessUse& use : uses.processes)
        if (use.region == 0) ranks.push_back(use);
    const size_t all = ranks.size();
    if (all > most_ranks) {
        std::ranges::stable_sort(ranks, {}, [](const ProcessUse& use) {
            return percent_of(time_of(use.times, Use::useful), life_of(use.times));
        });
        ranks.resize(most_ranks);
    }
    lines.push_back("");
    lines.push_back(
        fmt::format("{:<12} {:>7} {:>12}{}", "% of threads", "threads", "seconds", heads_of_uses()));
    const RankNames names(system);
    for (const ProcessUse& use : ranks)
        lines.push_back(fmt::format("{:<12} {:>7} {:>12.6f}{}", names.full(use.process), use.threads,
                                    in_seconds(use.elapsed), shares_of(use.times)));
    if (all > most_ranks)
        lines.push_back(
            fmt::format("and {} more ranks, whose threads are useful for longer", all - most_ranks));
}

}  // namespace

std::vector<std::string> hybrid_lines(const std::vector<HybridEfficiency>& all, const ThreadUseFacts& uses,
                                      const System& system, const std::map<int64_t, std::string>& regions) {
    std::vector<std::string> lines;
    if (all.empty()) return lines;
    add_factors(all.front(), lines);
    add_regions(all, regions, lines);
    add_ranks(uses, system, lines);
    if (!uses.sleepers.empty())
        lines.push_back(
            fmt::format("left out: {} threads that sleep for more than 95 % of their lives, as thread {}",
                        uses.sleepers.size(), system.threads()[uses.sleepers.front().thread_row].tid));
    return lines;
}

std::vector<std::string> construct_lines(const std::vector<ConstructUse>& constructs, const System& system,
                                         const std::map<int64_t, std::string>& labels) {
    std::map<int64_t, ConstructUse> sums;
    for (const ConstructUse& use : constructs) {
        ConstructUse& sum = sums[use.label];
        sum.label = use.label;
        sum.visits += use.visits;
        sum.threads = std::max(sum.threads, use.threads);
        sum.elapsed += use.elapsed;
        for (size_t u = 0; u < use_count; ++u) sum.times[u] += use.times[u];
    }
    std::vector<std::string> lines{fmt::format(
        "{:<12} {:>9} {:>7} {:>12} {:>12} {:>10} {:>10} {:>10} {:>10}  {}", "rank", "visits", "threads",
        "seconds", "lost", "useful %", "imbalance", "scheduling", "locks", "parallel region")};
    const auto lost = [](const ConstructUse& use) {
        return life_of(use.times) - time_of(use.times, Use::useful);
    };
    const auto add = [&](const std::string& who, const ConstructUse& use) {
        const auto share = [&](Use of) { return percent_of(time_of(use.times, of), life_of(use.times)); };
        const auto label = labels.find(use.label);
        lines.push_back(
            fmt::format("{:<12} {:>9} {:>7} {:>12.6f} {:>12.6f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f}  {}",
                        who, use.visits, use.threads, in_seconds(use.elapsed), in_seconds(lost(use)),
                        share(Use::useful), share(Use::imbalance), share(Use::scheduling), share(Use::locks),
                        label == labels.end() ? "(unknown)" : one_line(label->second)));
    };
    std::vector<ConstructUse> all;
    for (const auto& [label, sum] : sums) all.push_back(sum);
    std::ranges::stable_sort(all, std::greater(), lost);
    for (const ConstructUse& use : all) add("all", use);
    const RankNames names(system);
    for (const ConstructUse& use : constructs) add(names.full(use.process), use);
    return lines;
}

}  // namespace ovni
