#include "messages/waits/wait_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "base/seconds.hpp"
#include "emu/plan/rank_names.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

struct Sum {
    uint64_t times = 0, ns = 0, certain = 0;
    void add(const WaitSum& sum) {
        times += sum.times;
        ns += sum.ns;
        certain += sum.certain;
    }
};

std::string name_or_dash(const RankNames& names, uint32_t process) {
    return process == WaitSum::no_process ? "-" : names.full(process);
}

template <class Key>
std::vector<std::pair<Key, Sum>> longest_first(const std::map<Key, Sum>& sums) {
    std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.ns; });
    return rows;
}

}  // namespace

std::vector<std::string> wait_lines(const WaitSummary& waits, const System& system, int64_t origin) {
    constexpr size_t most_rows = 20;
    const RankNames names(system);
    std::map<std::pair<WaitKind, uint32_t>, Sum> by_kind;
    std::map<std::pair<uint32_t, uint32_t>, Sum> by_rank;
    for (const WaitSum& sum : waits.sums) {
        by_kind[{sum.kind, sum.function}].add(sum);
        by_rank[{sum.process, sum.cause}].add(sum);
    }
    std::vector<std::string> lines{
        fmt::format("{:>12} {:>12} {:>9}  {:<30}{}", "seconds", "certain", "times", "wait", "in")};
    for (const auto& [key, sum] : longest_first(by_kind))
        lines.push_back(
            fmt::format("{:12.6f} {:12.6f} {:>9}  {:<30}{}", seconds(sum.ns), seconds(sum.certain), sum.times,
                        wait_names[static_cast<size_t>(key.first)], mpi_function_rows[key.second].name));
    lines.push_back(
        fmt::format("\n{:>12} {:>12} {:>9}  {:<14}{}", "seconds", "certain", "times", "who waits", "for"));
    auto pairs = longest_first(by_rank);
    pairs.resize(std::min(most_rows, pairs.size()));
    for (const auto& [key, sum] : pairs)
        lines.push_back(fmt::format("{:12.6f} {:12.6f} {:>9}  {:<14}{}", seconds(sum.ns),
                                    seconds(sum.certain), sum.times, name_or_dash(names, key.first),
                                    name_or_dash(names, key.second)));
    lines.push_back(fmt::format("\n{:>12} {:>14} {:>4}  {:<14}{:<30}{}", "seconds", "since", "no.",
                                "who waits", "wait", "for"));
    for (size_t i = 0; i < std::min(most_rows, waits.longest.size()); ++i) {
        const Wait& wait = waits.longest[i];
        auto process = [&](uint32_t stream) {
            return stream == MessageEnd::no_stream ? WaitSum::no_process : system.process_of_stream(stream);
        };
        lines.push_back(fmt::format(
            "{:12.6f} {:14.9f} {:>4}  {:<14}{:<30}{}", seconds(static_cast<uint64_t>(wait.length())),
            seconds(static_cast<uint64_t>(wait.begin - origin)), i + 1,
            name_or_dash(names, process(wait.stream)), wait_names[static_cast<size_t>(wait.kind)],
            name_or_dash(names, process(wait.cause_stream))));
    }
    return lines;
}

}  // namespace ovni
