#include "emu/state/id_map.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <unordered_map>

namespace ovni::test {
namespace {

TEST(IdMapTest, ANewMapIsEmpty) {
    const IdMap map;
    for (uint64_t id : {UINT64_C(0), UINT64_C(1), UINT64_MAX}) EXPECT_EQ(map.find(id), IdMap::none);
}

// Ids as runtimes choose them, and as they had better not.
TEST(IdMapTest, FindsWhatWasInserted) {
    std::mt19937_64 random(1);
    const std::function<uint64_t(uint64_t)> choices[] = {
        [](uint64_t i) { return i; },
        [](uint64_t i) { return 5000 - i; },
        [](uint64_t i) { return 1'000'000 + i; },
        [](uint64_t i) { return 7 * i + 1; },
        [](uint64_t i) { return i << 32 | 1; },
        [](uint64_t i) { return UINT64_MAX - i; },
        [](uint64_t i) { return i % 2 == 0 ? i : i << 40; },
        [&](uint64_t) { return random(); },
        [&](uint64_t i) { return random() % (10 * i + 1); },
    };
    for (const auto& choose : choices) {
        IdMap map;
        std::unordered_map<uint64_t, uint32_t> expected;
        for (uint32_t i = 0; i < 5000; ++i) {
            const uint64_t id = choose(i);
            ASSERT_EQ(map.insert(id, i), expected.emplace(id, i).second) << id;
            const uint64_t other = choose(random() % 5000);
            const auto found = expected.find(other);
            ASSERT_EQ(map.find(other), found == expected.end() ? IdMap::none : found->second) << other;
        }
        for (const auto& [id, position] : expected) ASSERT_EQ(map.find(id), position) << id;
    }
}

// An id that was far beyond the others stays where it is when they have come closer.
TEST(IdMapTest, AnIdStaysWhereItIs) {
    IdMap map;
    EXPECT_TRUE(map.insert(1000, 0));
    for (uint32_t id = 0; id < 1000; ++id) EXPECT_TRUE(map.insert(id, id + 1));
    EXPECT_FALSE(map.insert(1000, 2000));
    EXPECT_EQ(map.find(1000), 0u);
    EXPECT_TRUE(map.insert(1001, 1001));
    EXPECT_EQ(map.find(1001), 1001u);
    EXPECT_EQ(map.find(1000), 0u);
    EXPECT_FALSE(map.insert(1000, 2000));
}

}  // namespace
}  // namespace ovni::test
