// The rules that all classes of ranks keep.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/ranks.hpp"

namespace ovni::test {
namespace ranks_rules {

struct Pair {
    int32_t from;
    int32_t to;
    bool operator==(const Pair&) const = default;
};

inline std::string word(int rank) {
    return std::string(static_cast<size_t>(rank) * 7, static_cast<char>('a' + rank));
}
inline std::vector<int32_t> numbers(int rank) {
    std::vector<int32_t> values(static_cast<size_t>(rank) * 5);
    std::iota(values.begin(), values.end(), rank * 100);
    return values;
}

inline void broadcast_carries_texts_values_and_vectors_from_any_root(const Ranks& ranks) {
    for (int root = 0; root < ranks.size(); ++root) {
        bool mine = ranks.rank() == root;
        EXPECT_EQ(ranks.broadcast(mine ? word(root) : "other", root), word(root));
        EXPECT_EQ(ranks.broadcast(mine ? numbers(root) : std::vector<int32_t>(3), root), numbers(root));
        EXPECT_EQ(ranks.broadcast(mine ? Pair{root, -1} : Pair{}, root), (Pair{root, -1}));
    }
}

inline void gather_gives_every_part_to_the_root_alone(const Ranks& ranks) {
    int root = ranks.size() - 1;
    auto words = ranks.gather(word(ranks.rank()), root);
    auto vectors = ranks.gather(numbers(ranks.rank()), root);
    if (ranks.rank() != root) {
        EXPECT_THAT(words, testing::IsEmpty());
        EXPECT_THAT(vectors, testing::IsEmpty());
        return;
    }
    ASSERT_EQ(words.size(), static_cast<size_t>(ranks.size()));
    for (int r = 0; r < ranks.size(); ++r) {
        EXPECT_EQ(words[static_cast<size_t>(r)], word(r));
        EXPECT_EQ(vectors[static_cast<size_t>(r)], numbers(r));
    }
}

inline void allgather_gives_every_part_to_all(const Ranks& ranks) {
    auto words = ranks.allgather(word(ranks.rank()));
    auto vectors = ranks.allgather(numbers(ranks.rank()));
    auto values = ranks.allgather<int64_t>(int64_t{ranks.rank()} * 10);
    ASSERT_EQ(words.size(), static_cast<size_t>(ranks.size()));
    for (int r = 0; r < ranks.size(); ++r) {
        EXPECT_EQ(words[static_cast<size_t>(r)], word(r));
        EXPECT_EQ(vectors[static_cast<size_t>(r)], numbers(r));
        EXPECT_EQ(values[static_cast<size_t>(r)], int64_t{r} * 10);
    }
}

inline void reductions_are_exact_over_the_whole_64_bits(const Ranks& ranks) {
    int64_t rank = ranks.rank();
    int64_t last = ranks.size() - 1;
    EXPECT_EQ(ranks.allreduce(Op::min, INT64_MIN + rank), INT64_MIN);
    EXPECT_EQ(ranks.allreduce(Op::max, uint64_t{1} << 63 | static_cast<uint64_t>(rank)),
              uint64_t{1} << 63 | static_cast<uint64_t>(last));
    EXPECT_EQ(ranks.allreduce(Op::sum, rank), last * (last + 1) / 2);
    EXPECT_EQ(ranks.allreduce(Op::bit_or, uint64_t{1} << rank), (uint64_t{1} << ranks.size()) - 1);
}

inline void vectors_are_reduced_element_by_element(const Ranks& ranks) {
    std::vector<int64_t> values(10);
    std::iota(values.begin(), values.end(), ranks.rank());
    auto greatest = ranks.allreduce(Op::max, values);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(greatest[static_cast<size_t>(i)], ranks.size() - 1 + i);
    EXPECT_THAT(ranks.allreduce(Op::sum, std::vector<int64_t>{}), testing::IsEmpty());
}

inline void exscan_sums_the_lower_ranks(const Ranks& ranks) {
    int64_t rank = ranks.rank();
    EXPECT_EQ(ranks.exscan(rank + 1), rank * (rank + 1) / 2);
    EXPECT_EQ(ranks.exscan(int64_t{-3}), -3 * rank);
}

inline void alltoallv_moves_every_part_to_its_rank(const Ranks& ranks) {
    PerRank<std::vector<Pair>> parts;
    PerRank<std::span<const Pair>> to;
    for (int r = 0; r < ranks.size(); ++r) {
        // Nothing at all between some pairs.
        size_t count = (ranks.rank() + r) % 2 == 0 ? 0 : static_cast<size_t>(10 * ranks.rank() + r);
        parts.emplace_back(count, Pair{ranks.rank(), r});
    }
    for (const auto& part : parts) to.emplace_back(part);
    auto received = ranks.alltoallv(to);
    ASSERT_EQ(received.size(), parts.size());
    for (int r = 0; r < ranks.size(); ++r) {
        size_t count = (ranks.rank() + r) % 2 == 0 ? 0 : static_cast<size_t>(10 * r + ranks.rank());
        EXPECT_EQ(received[static_cast<size_t>(r)], std::vector<Pair>(count, Pair{r, ranks.rank()}));
    }
}

inline void agree_hands_results_back(const Ranks& ranks) {
    EXPECT_EQ(ranks.agree([&] { return ranks.rank() + 1; }), ranks.rank() + 1);
    bool ran = false;
    ranks.agree([&] { ran = true; });
    EXPECT_TRUE(ran);
}

}  // namespace ranks_rules

// Collective.
inline void expect_rules_of_ranks(const Ranks& ranks) {
    using namespace ranks_rules;
    broadcast_carries_texts_values_and_vectors_from_any_root(ranks);
    gather_gives_every_part_to_the_root_alone(ranks);
    allgather_gives_every_part_to_all(ranks);
    reductions_are_exact_over_the_whole_64_bits(ranks);
    vectors_are_reduced_element_by_element(ranks);
    exscan_sums_the_lower_ranks(ranks);
    alltoallv_moves_every_part_to_its_rank(ranks);
    agree_hands_results_back(ranks);
}

}  // namespace ovni::test
