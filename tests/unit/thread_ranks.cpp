// Ranks that are threads.
#include "base/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/ranks_rules.hpp"

namespace ovni {
namespace {

class ThreadRanksTest : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadRanksTest, testing::Values(1, 2, 3, 8),
                         testing::PrintToStringParamName());

TEST_P(ThreadRanksTest, KeepTheRulesOfRanks) {
    std::atomic<int> calls = 0;
    const int result = run_on_threads(GetParam(), [&](const Ranks& ranks) {
        ++calls;
        EXPECT_EQ(ranks.size(), GetParam());
        EXPECT_EQ(ranks.is_first_of_process(), ranks.is_root());
        test::expect_rules_of_ranks(ranks);
        return 10 + ranks.rank();
    });
    EXPECT_EQ(result, 10);
    EXPECT_EQ(calls, GetParam());
}

TEST_P(ThreadRanksTest, NoCallTakesWhatBelongsToAnother) {
    run_on_threads(GetParam(), [](const Ranks& ranks) {
        const int64_t last = ranks.size() - 1;
        for (int64_t round = 0; round < 2000; ++round) {
            const PerRank<int64_t> all = ranks.allgather(round * 100 + ranks.rank());
            for (int64_t r = 0; r <= last; ++r) EXPECT_EQ(all[static_cast<size_t>(r)], round * 100 + r);
            EXPECT_EQ(ranks.allreduce(Op::max, round + ranks.rank()), round + last);
            EXPECT_EQ(ranks.broadcast(round * 10 + ranks.rank(), static_cast<int>(last)), round * 10 + last);
        }
        return 0;
    });
}

// The thread that writes outputs does so.
TEST(OneThread, MayCallFromOthers) {
    run_on_threads(1, [](const Ranks& ranks) {
        const auto call_often = [&] {
            for (int64_t i = 0; i < 10000; ++i) EXPECT_EQ(ranks.allgather(i), PerRank<int64_t>{i});
        };
        std::jthread other(call_often);
        call_often();
        return 0;
    });
}

TEST_P(ThreadRanksTest, AllThrowWhatTheLowestRankThatFailedHasThrown) {
    for (int failing = 0; failing < GetParam(); ++failing) {
        std::atomic<int> caught = 0;
        run_on_threads(GetParam(), [&](const Ranks& ranks) {
            try {
                ranks.agree([&] {
                    if (ranks.rank() >= failing) throw std::runtime_error(std::to_string(ranks.rank()));
                });
            } catch (const std::runtime_error& e) {
                EXPECT_EQ(e.what(), std::to_string(failing));
                ++caught;
            }
            // An old failure is not thrown again.
            for (int i = 0; i < 3; ++i) ranks.agree([] {});
            return 0;
        });
        EXPECT_EQ(caught, GetParam());
    }
}

TEST_P(ThreadRanksTest, ARankThatThrowsByItselfEndsTheOthers) {
    for (int failing = 0; failing < GetParam(); ++failing) {
        std::atomic<int> got_on = 0;
        try {
            run_on_threads(GetParam(), [&](const Ranks& ranks) {
                for (int i = 0; i < 5; ++i) ranks.agree([] {});
                if (ranks.rank() == failing) throw std::runtime_error(std::to_string(failing));
                ranks.allgather(1);
                ++got_on;
                return 0;
            });
            ADD_FAILURE() << "nobody threw";
        } catch (const std::runtime_error& e) {
            EXPECT_EQ(e.what(), std::to_string(failing));
        }
        EXPECT_EQ(got_on, 0);
    }
}

}  // namespace
}  // namespace ovni
