// The estimator and the texts of ovnisync, on made-up time stamps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/comm/host_names.hpp"
#include "mpi/sync/estimate.hpp"
#include "mpi/sync/table.hpp"

namespace ovni::sync {
namespace {

using testing::ElementsAre;

// An exchange over a link with the given delays, with a peer whose clock is `ahead` of the reference.
Exchange exchange(int64_t at, int64_t there, int64_t back, int64_t ahead) {
    int64_t arrival = at + there;
    int64_t reply = arrival + 50;
    return {at, arrival + ahead, reply + ahead, reply + back};
}

Estimate estimate(const std::vector<Exchange>& exchanges) {
    Burst burst;
    for (const Exchange& e : exchanges) burst.add(e);
    return burst.estimate();
}

TEST(SyncEstimateTest, EqualDelaysGiveTheOffsetExactly) {
    std::vector<Exchange> burst{exchange(1000, 70, 70, 1234)};
    Estimate e = estimate(burst);
    EXPECT_EQ(e.offset(), -1234);
    EXPECT_EQ(e.low, -1305);
    EXPECT_EQ(e.high, -1163);
    EXPECT_EQ(e.round_trip, 140);
    EXPECT_EQ(e.check, -1234);
    EXPECT_EQ(e.bound(), 71);
    EXPECT_EQ(e.samples, 1);
    EXPECT_EQ(e.local, 1000 + 70 + 1234 + 25);
}

TEST(SyncEstimateTest, TheFastestMessageOfEachDirectionCounts) {
    std::vector<Exchange> burst{exchange(0, 10, 900, -500), exchange(2000, 700, 10, -500)};
    EXPECT_EQ(estimate(burst).offset(), 500);
    EXPECT_EQ(estimate(burst).width(), 20 + 2);
    EXPECT_EQ(estimate(burst).round_trip, 710);
    EXPECT_EQ(estimate(burst).check, 500 - 345);
}

TEST(SyncEstimateTest, TheBoundHoldsTheTruthWhateverTheDelays) {
    uint64_t state = 1;
    auto random = [&](uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<int64_t>((state >> 33) % below);
    };
    for (int round = 0; round < 100; ++round) {
        int64_t ahead = (random(2'000'000) - 1'000'000) * 1'000'000'007;
        std::vector<Exchange> burst(20);
        int64_t at = 0;
        for (Exchange& one : burst) one = exchange(at += 100'000, random(10'000), random(90'000), ahead);
        Estimate e = estimate(burst);
        EXPECT_LE(e.low, -ahead);
        EXPECT_GE(e.high, -ahead);
        EXPECT_GE(e.offset(), e.low);
        EXPECT_LE(e.offset(), e.high);
    }
}

BestBurst best_of(const std::vector<Estimate>& bursts) {
    BestBurst best;
    for (const Estimate& burst : bursts) best.add(burst);
    return best;
}

TEST(SyncEstimateTest, ClocksThatDriftDuringAPauseStayWithinTheBound) {
    constexpr int64_t pause = 400'000'000;
    for (int64_t ppm : {-90, -50, 50, 90}) {
        auto local = [&](int64_t time) { return time + time * ppm / 1'000'000; };
        Burst burst;
        for (int64_t at : {int64_t{0}, int64_t{100'000}, pause, pause + 100'000})
            burst.add({at, local(at + 500), local(at + 550), at + 1'050});
        Estimate e = burst.estimate();
        auto truth = static_cast<int64_t>(-static_cast<double>(e.local) * static_cast<double>(ppm) /
                                          static_cast<double>(1'000'000 + ppm));
        EXPECT_TRUE(e.is_possible()) << ppm;
        EXPECT_LE(e.low, truth) << ppm;
        EXPECT_GE(e.high, truth) << ppm;
        // One without the pause is preferred.
        Burst quick;
        quick.add({0, 4'000, 4'050, 8'050});
        EXPECT_LT(best_of({e, quick.estimate()}).best().width(), 9'000) << ppm;
    }
}

Estimate of_width(int64_t width) {
    return {0, 0, width, 9, 0, 10};
}

TEST(SyncEstimateTest, TheNarrowestPossibleBurstIsTheBest) {
    EXPECT_EQ(best_of({{0, 0, 100, 9, 0, 10}, {0, 40, 60, 9, 0, 10}, {0, 60, 50, 9, 0, 10}}).best().low, 40);
    EXPECT_EQ(best_of({{0, 60, 50, 9, 0, 10}, {0, 0, 100, 9, 0, 10}}).best().high, 100);
    EXPECT_EQ(best_of({of_width(7), of_width(8)}).best().samples, 20);
}

TEST(SyncEstimateTest, BurstsThatBringNothingEndTheMeasurement) {
    Estimate wide = of_width(1000), hardly_better = of_width(990), better = of_width(500);
    EXPECT_FALSE(best_of({wide, wide, wide, wide}).has_settled());
    EXPECT_TRUE(best_of({wide, wide, wide, wide, wide}).has_settled());
    EXPECT_TRUE(best_of({wide, wide, wide, wide, hardly_better}).has_settled());
    EXPECT_FALSE(best_of({wide, wide, wide, wide, better}).has_settled());
    Estimate impossible = of_width(-1);
    EXPECT_FALSE(best_of({impossible, impossible, impossible, impossible, impossible}).has_settled());
}

TEST(SyncEstimateTest, BoundsAddUpAlongTheWay) {
    Estimate reference{500, 10, 20, 100, 14, 7}, node{900, -40, -30, 80, -36, 9};
    Estimate sum = through(node, reference, 0);
    EXPECT_EQ(sum.local, 900);
    EXPECT_EQ(sum.low, -30);
    EXPECT_EQ(sum.high, -10);
    EXPECT_EQ(sum.round_trip, 180);
    EXPECT_EQ(sum.check, -22);
    EXPECT_EQ(sum.samples, 9);
    // A wide link does not make up for a reference that jumped.
    EXPECT_FALSE(through(node, {500, 20, 19, 100, 14, 7}, 0).is_possible());
    EXPECT_FALSE(through({900, 5, 4, 80, 0, 9}, reference, 0).is_possible());
    // 1e-4 of 1 ms, in either direction of time.
    EXPECT_EQ(through(node, reference, 1'000'000).width(), 20 + 2 * 100);
    EXPECT_EQ(through(node, reference, -1'000'000).width(), 20 + 2 * 100);
}

TEST(SyncEstimateTest, TableHoldsOffsetsBeyondTheDigitsOfADouble) {
    std::vector<Node> nodes{{0, "a"}, {3, "b"}};
    std::vector<Estimate> estimates{{}, {0, -9'007'199'254'740'994, -9'007'199'254'740'991, 5, 0, 0}};
    EXPECT_EQ(
        offset_table(nodes, estimates),
        "rank       hostname             offset_median        offset_mean          offset_std          \n"
        "0          a                    0                    0.000000             0.000000            \n"
        "3          b                    -9007199254740993    -9007199254740993.000000 1.500000            "
        "\n");
    EXPECT_EQ(drift_header(nodes), "wallclock            a                    b                   \n");
    EXPECT_EQ(drift_row(1.5, estimates), "1.500000             0                    -9007199254740993   \n");
}

TEST(SyncEstimateTest, EqualHostNamesAreNumbered) {
    EXPECT_THAT(distinct_host_names({"a.x", "b", "a.y", "a", "b.z"}),
                ElementsAre("a", "b", "a-2", "a-3", "b-2"));
    EXPECT_THAT(distinct_host_names({"a", "a", "a-2"}), ElementsAre("a", "a-3", "a-2"));
}

}  // namespace
}  // namespace ovni::sync
