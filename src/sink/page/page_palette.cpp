#include "sink/page/page_palette.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ovni {

namespace {

constexpr size_t last_digit = 63;

}  // namespace

PagePalette::PagePalette(const Ranks& ranks, const Times& mine) {
    struct Time {
        uint64_t value;
        int64_t ns;
    };
    std::vector<Time> times;
    for (const auto& [value, ns] : mine) times.push_back({value, ns});
    Times all;
    for (const std::vector<Time>& of_rank : ranks.allgather(times))
        for (const auto& [value, ns] : of_rank) all[static_cast<uint32_t>(value)] += ns;
    std::vector<std::pair<uint32_t, int64_t>> sorted(all.begin(), all.end());
    std::ranges::stable_sort(sorted, {}, [](const auto& item) { return -item.second; });
    if (sorted.size() > most_values) sorted.resize(most_values);
    for (const auto& [value, ns] : sorted) {
        places_[value] = values_.size();
        values_.push_back(value);
    }
}

size_t PagePalette::place_of(uint32_t value) const {
    const auto known = places_.find(value);
    return known == places_.end() ? values_.size() : known->second;
}

std::string PagePalette::cell(const TimeColumns& columns, size_t column, int64_t ns) const {
    std::map<size_t, int64_t> shown;
    for (const auto& [category, sums] : columns.sums())
        if (sums[column] > 0) shown[std::min(place_of(category), last_digit)] += sums[column];
    if (shown.empty() || ns == 0) return "-";
    std::vector<std::pair<int64_t, size_t>> sorted;
    for (const auto& [place, time] : shown) sorted.emplace_back(-time, place);
    std::ranges::sort(sorted);
    sorted.resize(2);
    std::string text;
    for (const auto& [time, place] : sorted) {
        const auto share = static_cast<double>(-time) / static_cast<double>(ns);
        const auto digit = static_cast<size_t>(std::lround(share * static_cast<double>(last_digit)));
        text += page_digits[place];
        text += page_digits[std::min(digit, last_digit)];
    }
    return text;
}

std::string PagePalette::text(const TimeColumns& columns, int64_t duration, size_t rows) const {
    std::string all, before;
    const int shift = columns.shift();
    const size_t used = std::min(columns.size(), static_cast<size_t>((duration >> shift) + 1));
    for (size_t column = 0; column < used; ++column) {
        const int64_t from = static_cast<int64_t>(column) << shift;
        const int64_t ns = std::min(int64_t{1} << shift, duration - from) * static_cast<int64_t>(rows);
        std::string text = cell(columns, column, ns);
        all += text == before ? "." : text;
        before = std::move(text);
    }
    return all;
}

}  // namespace ovni
