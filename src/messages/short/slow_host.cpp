#include "messages/short/slow_host.hpp"

#include <algorithm>
#include <numeric>

namespace ovni {

namespace {

double mean_of(const std::vector<int64_t>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace

std::optional<SlowHost> find_slow_host(const std::map<std::string, std::vector<int64_t>>& computes) {
    if (computes.size() < 2) return std::nullopt;
    const auto& [name, own] =
        *std::ranges::max_element(computes, {}, [](const auto& of) { return mean_of(of.second); });
    std::vector<int64_t> others;
    for (const auto& [other, times] : computes)
        if (other != name) others.insert(others.end(), times.begin(), times.end());
    const SlowHost slow{name, own.size(), mean_of(own), mean_of(others)};
    const auto gap = static_cast<double>(std::ranges::min(own) - std::ranges::max(others));
    constexpr double least = 0.5;  // of the difference between the means
    if (own.size() < 2 || gap <= least * (slow.mean - slow.mean_of_others)) return std::nullopt;
    return slow;
}

}  // namespace ovni
