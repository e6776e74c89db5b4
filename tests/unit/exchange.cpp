// Records of several ranks, put into one order.
#include "session/replay/exchange.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <random>

#include "base/thread_ranks.hpp"

namespace ovni::test {
namespace {

// The ranks' records in the order in which the ranks write them. `value` tells which record it is.
std::vector<int64_t> exchanged(const std::vector<std::vector<Record>>& made) {
    std::vector<std::vector<int64_t>> slices(made.size());
    run_on_threads(static_cast<int>(made.size()), [&](const Ranks& ranks) {
        const auto rank = static_cast<size_t>(ranks.rank());
        Exchange exchange(ranks, Breakdowns::no);
        Stretch mine, slice;
        for (const Record& record : made[rank]) mine.records.append(record);
        exchange.to_slices(mine, slice);
        for (const Record& record : slice.records) slices[rank].push_back(record.value);
        return 0;
    });
    std::vector<int64_t> all;
    for (const auto& slice : slices) all.insert(all.end(), slice.begin(), slice.end());
    return all;
}

std::vector<int64_t> sorted(const std::vector<std::vector<Record>>& made) {
    std::vector<Record> all;
    for (const auto& of_rank : made) all.insert(all.end(), of_rank.begin(), of_rank.end());
    std::ranges::stable_sort(all, in_order<Record>);
    std::vector<int64_t> values;
    for (const Record& record : all) values.push_back(record.value);
    return values;
}

// Orders of one rank only, as streams are; a record may have the key of the one before it.
std::vector<std::vector<Record>> random_records(std::mt19937& random, size_t ranks, size_t most,
                                                int64_t longest_step) {
    std::vector<std::vector<Record>> made(ranks);
    int64_t value = 0;
    for (size_t rank = 0; rank < ranks; ++rank) {
        int64_t time = 0;
        for (size_t count = random() % (most + 1); count > 0; --count) {
            time += static_cast<int64_t>(random() % static_cast<uint64_t>(longest_step + 1));
            const auto order = static_cast<uint32_t>(random() % 3 * ranks + rank);
            made[rank].push_back({.time = time, .value = value++, .order = order});
        }
        std::ranges::stable_sort(made[rank], in_order<Record>);
    }
    return made;
}

TEST(ExchangeTest, PutsTheRecordsOfAllRanksInOrder) {
    std::mt19937 random(1);
    for (size_t ranks = 1; ranks <= 6; ++ranks)
        for (int64_t longest_step : {0, 1, 3, 1000})
            for (size_t most : {0, 1, 7, 20, 500, 5000}) {
                const auto made = random_records(random, ranks, most, longest_step);
                ASSERT_EQ(exchanged(made), sorted(made)) << ranks << " ranks, " << most << " records";
            }
}

TEST(ExchangeTest, TakesRanksOfWhichOneHasAll) {
    std::mt19937 random(1);
    for (size_t who : {0, 1, 2}) {
        std::vector<std::vector<Record>> made(3);
        made[who] = random_records(random, 1, 3000, 5).front();
        EXPECT_EQ(exchanged(made), sorted(made));
    }
}

TEST(ExchangeTest, TakesRanksThatFollowOneAnother) {
    for (bool is_reverse : {false, true}) {
        std::vector<std::vector<Record>> made(4);
        for (size_t rank = 0; rank < made.size(); ++rank)
            for (int64_t i = 0; i < 1000; ++i) {
                const auto first = 1000 * static_cast<int64_t>(is_reverse ? made.size() - rank : rank);
                made[rank].push_back(
                    {.time = first + i, .value = first + i, .order = static_cast<uint32_t>(rank)});
            }
        EXPECT_EQ(exchanged(made), sorted(made));
    }
}

}  // namespace
}  // namespace ovni::test
