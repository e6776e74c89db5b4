// The wishes of ranks and what they agree on, without MPI.
#include "region/job_wish.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

namespace ovni::region::test {

namespace {

using enum writer::Recording;

TEST(JobWishTest, AWishIsForgottenWhereThingsAreSo) {
    JobWish rank;
    EXPECT_FALSE(rank.want(on));
    EXPECT_EQ(rank.wish(), 0u);
    EXPECT_EQ(rank.agree(0), std::nullopt);
    EXPECT_TRUE(rank.want(off));
    EXPECT_FALSE(rank.want(on));
    EXPECT_EQ(rank.wish(), 0u);
}

TEST(JobWishTest, AWishHasEffectOnce) {
    JobWish rank;
    rank.begin(off);
    EXPECT_TRUE(rank.want(on));
    EXPECT_EQ(rank.wish(), 3u);
    EXPECT_EQ(rank.agree(3), on);
    EXPECT_EQ(rank.agree(3), std::nullopt);
    EXPECT_EQ(rank.agree(2), std::nullopt);
    EXPECT_EQ(rank.agree(0), std::nullopt);
    EXPECT_EQ(rank.wish(), 0u);
    EXPECT_TRUE(rank.want(off));
    EXPECT_EQ(rank.wish(), 4u);
}

// One fires after the result of the others has been awaited, but before it is told.
// While ranks agree on a start, recording is still off: a stop then comes after it.
TEST(JobWishTest, CountsAgainstWhatIsBeingAgreedOn) {
    JobWish rank;
    rank.begin(off);
    EXPECT_TRUE(rank.want(on));
    uint64_t first = rank.wish();
    EXPECT_TRUE(rank.want(off));
    EXPECT_EQ(rank.agree(first), on);
    uint64_t second = rank.wish();
    EXPECT_NE(second, 0u);
    EXPECT_EQ(rank.agree(second), off);
    EXPECT_EQ(rank.wish(), 0u);
}

// Other ranks may have wished for something that this one does not know.
TEST(JobWishTest, CountsAgainstTheWishOfAnotherRank) {
    std::array<JobWish, 2> ranks;
    for (JobWish& rank : ranks) rank.begin(off);
    ranks[0].want(on);
    uint64_t first = std::max(ranks[0].wish(), ranks[1].wish());
    EXPECT_TRUE(ranks[1].want(off));
    for (JobWish& rank : ranks) EXPECT_EQ(rank.agree(first), on);
    uint64_t second = std::max(ranks[0].wish(), ranks[1].wish());
    for (JobWish& rank : ranks) EXPECT_EQ(rank.agree(second), off);
}

TEST(JobWishTest, AWishIsFulfilledWhereNothingCameOfAnAgreement) {
    JobWish rank;
    rank.begin(on);
    EXPECT_EQ(rank.wish(), 0u);
    EXPECT_TRUE(rank.want(on));
    EXPECT_EQ(rank.agree(0), std::nullopt);
    EXPECT_EQ(rank.wish(), 0u);
}

TEST(JobWishTest, TheLoserOfAnAgreementWishesAgain) {
    std::array<JobWish, 2> ranks;
    for (JobWish& rank : ranks) rank.begin(off);
    ranks[0].want(on);
    uint64_t result = std::max(ranks[0].wish(), ranks[1].wish());
    for (JobWish& rank : ranks) EXPECT_EQ(rank.agree(result), on);
    ranks[0].want(off);
    ranks[1].want(off);
    result = std::max(ranks[0].wish(), ranks[1].wish());
    EXPECT_EQ(result, 4u);
    EXPECT_EQ(ranks[0].agree(result), off);
    EXPECT_TRUE(ranks[0].want(on));
    EXPECT_EQ(ranks[1].agree(result), off);
    EXPECT_EQ(std::max(ranks[0].wish(), ranks[1].wish()), 7u);
}

}  // namespace

}  // namespace ovni::region::test
