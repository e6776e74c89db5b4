// The order that radix_sort() makes is that of a comparison sort.
#include "base/radix_sort.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace ovni {
namespace {

struct Item {
    int64_t number;
    int rest;
    auto operator<=>(const Item&) const = default;
};

bool comes_before(const Item& a, const Item& b) {
    return a.rest < b.rest;
}

std::vector<Item> sorted(std::vector<Item> items) {
    radix_sort(
        items, [](const Item& item) { return item.number; }, comes_before);
    return items;
}

TEST(RadixSort, MakesTheOrderOfAComparisonSort) {
    std::mt19937_64 random(1);
    for (uint64_t range : {uint64_t{1}, uint64_t{5}, uint64_t{3000}, uint64_t{1} << 40, UINT64_MAX})
        for (size_t count : {0, 1, 2, 100, 5000}) {
            std::vector<Item> items;
            for (size_t i = 0; i < count; ++i)
                items.push_back({static_cast<int64_t>(random() % range), static_cast<int>(random() % 3)});
            std::vector<Item> expected = items;
            std::ranges::sort(expected);
            EXPECT_EQ(sorted(items), expected) << range << ' ' << count;
        }
}

TEST(RadixSort, TakesTheLeastAndTheGreatestNumber) {
    const std::vector<Item> items{{INT64_MAX, 0}, {0, 0}, {INT64_MIN, 1}, {-1, 0}, {INT64_MIN, 0}};
    std::vector<Item> expected = items;
    std::ranges::sort(expected);
    EXPECT_EQ(sorted(items), expected);
}

}  // namespace
}  // namespace ovni
