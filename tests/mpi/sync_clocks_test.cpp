// From measurements to clocks.json, the summary and the warnings, on made-up exchanges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "mpi/sync/measure.hpp"
#include "mpi/sync/node_clocks.hpp"
#include "mpi/sync/table.hpp"

namespace ovni::sync {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A clock against its reference, both measured in the time of the reference.
struct TrueClock {
    int64_t ahead;
    int64_t rate_ppb;
    int64_t bend_at = INT64_MAX;  // from there on it goes at twice the rate
    int64_t at(int64_t time) const {
        int64_t extra = std::max<int64_t>(time - bend_at, 0);
        return time + ahead + (time + extra) * rate_ppb / 1'000'000'000;
    }
    int64_t offset_at(int64_t local) const {
        int64_t time = local - ahead;
        for (int i = 0; i < 5; ++i) time += local - at(time);
        return time - local;
    }
};

class Network {
 public:
    explicit Network(TrueClock clock) : clock_(clock) {}
    Estimate measure(int64_t time, int exchanges, Corridor& corridor) {
        Burst burst;
        for (int i = 0; i < exchanges; ++i) {
            int64_t arrival = time + delay(), reply = arrival + 50, end = reply + delay();
            Exchange e{time, clock_.at(arrival), clock_.at(reply), end};
            burst.add(e);
            corridor.add(e);
            time = end + 300;
        }
        return burst.estimate();
    }

 private:
    int64_t delay() {
        auto draw = [&](uint64_t below) { return static_cast<int64_t>(random_() % below); };
        return 6'000 + draw(500) + (draw(30) == 0 ? draw(2'000'000) : 0);
    }
    TrueClock clock_;
    std::mt19937_64 random_{5};
};

const std::vector<Node> two{{0, "a"}, {3, "b"}};
constexpr int64_t second = 1'000'000'000;

struct Measured {
    std::vector<Round> runs;
    std::vector<Corridor> corridors{2};
};
Measured measure(TrueClock clock, int runs, int64_t pause) {
    Network network(clock);
    Measured measured;
    for (int i = 0; i < runs; ++i)
        measured.runs.push_back({{}, network.measure(i * pause, 100, measured.corridors[1])});
    return measured;
}

class CorridorTest : public testing::TestWithParam<TrueClock> {};

TEST_P(CorridorTest, TheLineIsThatOfTheClock) {
    const TrueClock& clock = GetParam();
    Measured measured = measure(clock, 6, 2 * second);
    NodeClocks clocks = node_clocks(two, measured.runs, measured.corridors);
    EXPECT_THAT(clocks.residuals, ElementsAre(0, 0));
    const NodeClock& node = clocks.nodes[1];
    ASSERT_EQ(node.measurements.size(), 2u);
    EXPECT_EQ(node.measurements[0].method, "theil-sen");
    EXPECT_EQ(node.measurements[0].samples, 600u);
    for (const ClockMeasurement& m : node.measurements) {
        int64_t truth = clock.offset_at(m.point.local);
        EXPECT_LE(m.low, truth);
        EXPECT_GE(m.high, truth);
        EXPECT_NEAR(static_cast<double>(m.point.offset), static_cast<double>(truth), 600);
        EXPECT_LT(m.bound(), 10'000);
    }
    // The file is one that is read.
    ClockFile read = parse_clock_file(clock_file_text(clocks.file()), "clocks.json");
    EXPECT_EQ(read.nodes[1].bound(), node.bound());
    EXPECT_THAT(doubts(clocks, measured.runs), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Clocks, CorridorTest,
                         testing::Values(TrueClock{0, 0}, TrueClock{1'234'567'891, 50'000},
                                         TrueClock{-500'000'000, -20'000}, TrueClock{7, 1'000},
                                         TrueClock{-1'000 * second, -30'000}));

TEST(CorridorEdgeTest, OnlyTheCornersAreKept) {
    Corridor corridor;
    Network({5, 10'000}).measure(0, 10'000, corridor);
    EXPECT_LT(corridor.floors().size(), 100u);
    EXPECT_LT(corridor.ceilings().size(), 100u);
}

TEST(CorridorEdgeTest, OneMomentIsNoLine) {
    Corridor corridor;
    EXPECT_FALSE(straight(corridor));
    corridor.add({0, 10, 20, 30});
    EXPECT_FALSE(straight(corridor));
}

TEST(NodeClocksTest, OneMeasurementIsAConstant) {
    Measured measured = measure({77, 0}, 1, 0);
    NodeClocks clocks = node_clocks(two, measured.runs, measured.corridors);
    ASSERT_EQ(clocks.nodes[1].measurements.size(), 1u);
    const ClockMeasurement& m = clocks.nodes[1].measurements[0];
    EXPECT_EQ(m.point.offset, measured.runs[0][1].offset());
    EXPECT_EQ(m.method, "envelope");
    EXPECT_EQ(clocks.file().reference, "a");
    EXPECT_TRUE(clocks.nodes[0].line().is_constant());
}

TEST(NodeClocksTest, ALongRunHasItsLineToo) {
    TrueClock clock{-5'000, 40'000};
    Measured measured = measure(clock, 20'000, second / 100);
    NodeClocks clocks = node_clocks(two, measured.runs, measured.corridors);
    ASSERT_EQ(clocks.nodes[1].measurements.size(), 2u);
    for (const ClockMeasurement& m : clocks.nodes[1].measurements)
        EXPECT_NEAR(static_cast<double>(m.point.offset), static_cast<double>(clock.offset_at(m.point.local)),
                    600);
}

TEST(NodeClocksTest, TheLineStaysWithinWhatIsCertain) {
    std::mt19937_64 random(3);
    auto draw = [&] { return 2'000 + static_cast<int64_t>(random() % 40'000); };
    for (int trial = 0; trial < 300; ++trial) {
        Measured measured;
        for (int64_t at = 0; at < 20'000'000; at += 1'000'000) {
            Burst burst;
            int64_t there = draw(), back = draw();
            Exchange e{at, at + there, at + there + 50, at + there + 50 + back};
            burst.add(e);
            measured.corridors[1].add(e);
            measured.runs.push_back({{}, burst.estimate()});
        }
        NodeClocks clocks = node_clocks(two, measured.runs, measured.corridors);
        for (const ClockMeasurement& m : clocks.nodes[1].measurements) {
            EXPECT_LE(m.low, 0);
            EXPECT_GE(m.high, 0);
            EXPECT_LE(m.low, m.point.offset);
            EXPECT_GE(m.high, m.point.offset);
        }
        Straight certain = *straight(measured.corridors[1]);
        EXPECT_EQ(clocks.nodes[1].measurements[0].low, certain.begin.low);
        EXPECT_EQ(clocks.nodes[1].measurements[1].high, certain.end.high);
    }
}

TEST(NodeClocksTest, WhatIsNotPossibleIsLeftOut) {
    Estimate jumped{1'000, 500, -500, 600, 0, 100}, sound{2 * second, -60, -40, 30, -50, 100};
    std::vector<Round> runs{{{}, jumped}, {{}, sound}};
    NodeClocks clocks = node_clocks(two, runs, std::vector<Corridor>(2));
    ASSERT_EQ(clocks.nodes[1].measurements.size(), 1u);
    EXPECT_EQ(clocks.nodes[1].measurements[0].point.offset, -50);
    runs.pop_back();
    clocks = node_clocks(two, runs, std::vector<Corridor>(2));
    EXPECT_EQ(clocks.file().nodes.size(), 1u);
    EXPECT_THAT(summary(clocks, runs), HasSubstr("no measurement was possible"));
    EXPECT_THAT(doubts(clocks, runs), testing::Contains(HasSubstr("b was possible: not in clocks.json")));
}

TEST(NodeClocksTest, AClockThatBendsIsFollowedFromPointToPoint) {
    TrueClock clock{123, 20'000, 4 * second};
    Measured measured = measure(clock, 6, 2 * second);
    NodeClocks clocks = node_clocks(two, measured.runs, measured.corridors);
    EXPECT_GT(clocks.residuals[1], 1'000);
    const NodeClock& node = clocks.nodes[1];
    ASSERT_EQ(node.measurements.size(), 6u);
    for (const ClockMeasurement& m : node.measurements) {
        EXPECT_LE(m.low, clock.offset_at(m.point.local));
        EXPECT_GE(m.high, clock.offset_at(m.point.local));
    }
    EXPECT_THAT(doubts(clocks, measured.runs),
                ElementsAre(HasSubstr("no straight line fits the clock of b")));
}

TEST(NodeClocksTest, ATreeAddsTheLineOfTheReference) {
    // Node 17 is measured by node 1, which is 1 ms ahead and gains 10 ppm; 17 gains 20 ppm on that.
    constexpr int count = 18;
    static_assert(reference_of(17, count) == 1);
    std::vector<Node> nodes;
    nodes.reserve(count);
    for (int i = 0; i < count; ++i) nodes.push_back({i, "n" + std::to_string(i)});
    TrueClock one{1'000'000, 10'000}, on_top{-3'000'000, 20'000};
    std::vector<Round> runs(3, Round(count));
    std::vector<Corridor> corridors(count);
    Network to_one(one), from_one(on_top);
    for (size_t i = 0; i < 3; ++i) {
        int64_t time = static_cast<int64_t>(5 * i + 1) * second;
        runs[i][1] = to_one.measure(time, 100, corridors[1]);
        Estimate link = from_one.measure(one.at(time), 100, corridors[17]);
        runs[i][17] = through(link, runs[i][1], 0);
    }
    NodeClocks clocks = node_clocks(nodes, runs, corridors);
    const NodeClock& node = clocks.nodes[17];
    ASSERT_EQ(node.measurements.size(), 2u);
    EXPECT_GT(node.bound(), clocks.nodes[1].bound());
    for (const ClockMeasurement& m : node.measurements) {
        int64_t by_one = m.point.local + on_top.offset_at(m.point.local);
        int64_t truth = by_one + one.offset_at(by_one) - m.point.local;
        EXPECT_LE(m.low, truth);
        EXPECT_GE(m.high, truth);
        EXPECT_NEAR(static_cast<double>(m.point.offset), static_cast<double>(truth), 1200);
    }
}

TEST(NodeClocksTest, TheSummaryHasTheGreatestBound) {
    std::vector<Round> runs{{{}, {1'000, -60, -40, 30, -52, 100}}};
    NodeClocks clocks = node_clocks(two, runs, std::vector<Corridor>(2));
    std::string text = summary(clocks, runs);
    EXPECT_THAT(text, HasSubstr("nodes: 2, greatest bound: +-10 ns\n"));
    EXPECT_THAT(text, testing::ContainsRegex("\nb +-50 +-60 +-40 +10 +30 +-2 +100 +- envelope\n"));
    EXPECT_THAT(doubts(clocks, runs), IsEmpty());
}

std::vector<std::string> doubts_of(const Round& run) {
    std::vector<Node> nodes;
    for (size_t i = 0; i < run.size(); ++i) nodes.push_back({static_cast<int>(i), "n" + std::to_string(i)});
    return doubts(node_clocks(nodes, {run}, std::vector<Corridor>(run.size())), {run});
}

TEST(DoubtsTest, WhatIsUsualIsNoDoubt) {
    Estimate usual{0, 0, 12'000, 12'600, 6'100, 100}, slower{0, 0, 20'000, 21'000, 10'100, 100};
    EXPECT_THAT(doubts_of({{}, usual, slower, usual}), IsEmpty());
    EXPECT_THAT(doubts_of({{}}), IsEmpty());
}

TEST(DoubtsTest, EstimatesThatDisagreeAreDoubtful) {
    Estimate usual{0, 0, 12'000, 12'600, 6'100, 100}, odd{0, 0, 12'000, 24'000, 10'000, 100};
    EXPECT_THAT(doubts_of({{}, usual, odd, odd}),
                ElementsAre(HasSubstr("no exchange with n2 and 1 other was fast both ways: the fastest one "
                                      "alone gives an offset that is 4000 ns away")));
}

TEST(DoubtsTest, BoundsFarAboveThoseOfOthersAreDoubtful) {
    Estimate usual{0, 0, 12'000, 12'600, 6'100, 100}, wide{0, 0, 40'000, 41'000, 20'000, 100};
    EXPECT_THAT(doubts_of({{}, usual, wide, usual}),
                ElementsAre(HasSubstr("the bound of n2 exceeds the network's round trip (12600 ns per link): "
                                      "+-20000 ns")));
    // In a tree bounds and round trips of all links on the way add up: node 15 of 17 has four.
    Round run(17, usual);
    run[0] = {};
    run[15] = {0, 0, 48'000, 50'400, 24'400, 100};
    EXPECT_THAT(doubts_of(run), IsEmpty());
    run[16] = wide;
    EXPECT_THAT(doubts_of(run), ElementsAre(HasSubstr("the bound of n16 exceeds")));
}

TEST(DoubtsTest, AClockThatJumpedIsDoubtful) {
    Estimate usual{0, 0, 12'000, 12'600, 6'100, 100}, jumped{0, 10, -10, 12'600, 0, 100};
    EXPECT_THAT(doubts_of({{}, usual, jumped}), ElementsAre(HasSubstr("the clock of n2 did not run evenly"),
                                                            HasSubstr("no measurement of n2 was possible")));
}

}  // namespace
}  // namespace ovni::sync
