// Tables beyond the limit lie in files that nobody sees, and hold what is written to them.
#include "base/table_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/packed_numbers.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni {
namespace {

constexpr size_t mib = size_t{1} << 20;

size_t mappings_in(const std::filesystem::path& directory) {
    std::ifstream maps("/proc/self/maps");
    size_t count = 0;
    for (std::string line; std::getline(maps, line);)
        count += line.find(directory.string() + "/") != line.npos;
    return count;
}

TEST(TableMemory, LiesInFilesBeyondTheLimitUntilItIsFreed) {
    const test::TemporaryDirectory directory;
    const TableVector<char> before(2 * mib);
    limit_table_memory(4 * mib, directory.path());
    {
        const TableVector<char> fits(mib);
        EXPECT_EQ(mappings_in(directory.path()), 0u);
        TableVector<uint32_t> grows;
        for (uint32_t i = 0; i < 4 * mib; ++i) grows.push_back(i);
        EXPECT_EQ(mappings_in(directory.path()), 1u);
        TableVector<uint32_t> expected(4 * mib);
        std::iota(expected.begin(), expected.end(), 0u);
        EXPECT_EQ(mappings_in(directory.path()), 2u);
        EXPECT_TRUE(std::ranges::equal(grows, expected));
        EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
    }
    EXPECT_EQ(mappings_in(directory.path()), 0u);
    EXPECT_EQ(memory_in_files().most, 32 * mib);
    EXPECT_EQ(memory_in_files().refusal, "");
    limit_table_memory(UINT64_MAX, directory.path());
}

// Thousands of streams have tables of their own.
TEST(TableMemory, ManyPackedListsLieInFilesForTheMostPart) {
    const test::TemporaryDirectory directory;
    limit_table_memory(0, directory.path());
    const MemoryInFiles before = memory_in_files();
    constexpr uint64_t lists = 50, numbers = 1'000'000;
    std::vector<PackedItems> all(lists);
    for (PackedItems& list : all)
        for (uint64_t i = 0; i < numbers; ++i) {
            PackedItem<3> item;
            item.number(i % 1000 + 128);
            list.append(item.bytes());
        }
    EXPECT_GT(memory_in_files().most - before.most, 0u);
    EXPECT_GT(mappings_in(directory.path()), 2 * lists);
    uint64_t equal = 0;
    for (const PackedItems& list : all) {
        PackedItemsReader reader(list);
        for (uint64_t i = 0; i < numbers; ++i) {
            const uint64_t low = reader.first_byte() & 0x7f;
            equal += (low | reader.number() << 7) == i % 1000 + 128;
        }
    }
    EXPECT_EQ(equal, lists * numbers);
    all.clear();
    EXPECT_EQ(mappings_in(directory.path()), 0u);
    limit_table_memory(UINT64_MAX, directory.path());
}

TEST(TableMemory, StaysInMemoryIfThereIsNoFile) {
    limit_table_memory(0, "/does/not/exist");
    const TableVector<char> block(2 * mib, 'x');
    EXPECT_TRUE(std::ranges::all_of(block, [](char c) { return c == 'x'; }));
    EXPECT_EQ(memory_in_files().refusal, "No such file or directory");
    limit_table_memory(UINT64_MAX, "/");
}

TEST(MemoryLimit, ProcessesOfANodeShareTheLimitFairly) {
    const auto one = static_cast<double>(fair_memory_limit(1));
    EXPECT_GT(one, 0);
    EXPECT_NEAR(static_cast<double>(fair_memory_limit(4)) / one, 0.25, 0.1);
    EXPECT_NEAR(static_cast<double>(fair_memory_limit(-1)) / one, 1, 0.3);
}

}  // namespace
}  // namespace ovni
