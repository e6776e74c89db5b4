#include "messages/costs/delay_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/seconds.hpp"
#include "emu/plan/rank_names.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

std::string_view region_name(int64_t region, const std::map<int64_t, std::string>& names) {
    auto known = names.find(region);
    return known == names.end() ? std::string_view() : known->second;
}

}  // namespace

std::vector<std::string> delay_lines(std::vector<DelayCost> costs, const System& system,
                                     const std::map<int64_t, std::string>& regions) {
    constexpr size_t most_rows = 20;
    std::ranges::stable_sort(costs, std::greater(),
                             [](const DelayCost& cost) { return cost.short_term + cost.long_term; });
    costs.resize(std::min(most_rows, costs.size()));
    std::vector<std::string> lines{
        fmt::format("{:>12} {:>12}  {:<14}{:<28}{}", "short-term", "long-term", "delay of", "in", "region")};
    const RankNames names(system);
    for (const DelayCost& cost : costs) {
        std::string line = fmt::format(
            "{:12.6f} {:12.6f}  {:<14}{:<28}{}", seconds(cost.short_term), seconds(cost.long_term),
            names.full(cost.process),
            cost.function == outside_of_mpi ? "the program" : mpi_function_rows[cost.function].name,
            region_name(cost.region, regions));
        line.resize(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace ovni
