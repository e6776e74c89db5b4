// The algorithm of ovnisync and the tracing library on simulated nodes.
#include <gtest/gtest.h>

#include <cstdio>

#include "mpi/sync/measure.hpp"
#include "tests/mpi/simulated_nodes.hpp"

namespace ovni::sync {
namespace {

constexpr int64_t deadline = 400'000'000;
constexpr Effort small{8, 2, 20'000'000};

using Results = std::vector<std::optional<Estimate>>;

Results measure_all(SimulatedNodes& nodes, int count, Effort effort) {
    Results results(static_cast<size_t>(count));
    nodes.run([&](int node) {
        SimulatedNodes::Link link(nodes, node);
        results[static_cast<size_t>(node)] = Measurement(link, node, count, effort).run();
    });
    return results;
}

void set_clocks(SimulatedNodes& nodes, int count) {
    std::mt19937_64 random(7);
    for (int node = 0; node < count; ++node) {
        nodes.clock(node).offset_ns = static_cast<int64_t>(random() % 4'000'000'000) - 2'000'000'000;
        nodes.clock(node).rate_ppb = static_cast<int64_t>(random() % 60'000) - 30'000;
    }
}

// Whether the offset of `node` comes by way of `other`, or is measured by nobody but itself.
bool lies_behind(int node, int other, int count) {
    while (node > other && node > 0) node = reference_of(node, count);
    return node == other;
}

class MeasureTest : public testing::TestWithParam<int> {};

TEST_P(MeasureTest, EveryNodeLearnsItsOffsetWithinBounds) {
    int count = GetParam();
    SimulatedNodes nodes(count, {}, deadline, 1);
    set_clocks(nodes, count);
    Results results = measure_all(nodes, count, small);
    for (int node = 0; node < count; ++node) {
        const auto& estimate = results[static_cast<size_t>(node)];
        ASSERT_TRUE(estimate) << node;
        int64_t truth = nodes.true_offset(node, estimate->local);
        EXPECT_LE(estimate->low, truth) << node;
        EXPECT_GE(estimate->high, truth) << node;
        EXPECT_EQ(estimate->samples, node ? small.exchanges * small.bursts : 0) << node;
    }
}

TEST_P(MeasureTest, MessagesAndRoundsAreThosePromised) {
    int count = GetParam();
    SimulatedNodes nodes(count, {5'000, 0}, deadline, 1);
    // All others are there when the reference looks, so it takes them in its order, and nobody has to be told
    // to wait.
    nodes.start_at(0, 1'000'000);
    measure_all(nodes, count, {small.exchanges, small.bursts, 1'000'000'000});
    // A greeting, per burst its order and two messages per exchange, and the result.
    int64_t per_link = 2 + small.bursts * (1 + 2 * small.exchanges);
    EXPECT_EQ(nodes.messages(), (count - 1) * per_link);
    EXPECT_EQ(nodes.rounds(), rounds(count));
}

// The table of mpi/sync/README.md, with the usual effort; takes two minutes.
TEST(MeasureScalingTest, DISABLED_Table) {
    std::printf("| nodes | rounds | messages | ms | greatest bound, ns |\n");
    for (int count : {2, 4, 8, 16, 17, 64, 256, 1024, 4096}) {
        SimulatedNodes nodes(count, {6'000, 1'000}, 60'000'000'000, 1);
        set_clocks(nodes, count);
        nodes.start_at(0, 1'000'000);
        Results results = measure_all(nodes, count, {});
        int64_t end = 0, bound = 0;
        for (int node = 0; node < count; ++node) {
            end = std::max(end, nodes.end_of(node));
            bound = std::max(bound, results[static_cast<size_t>(node)]->bound());
        }
        std::printf("| %d | %d | %lld | %lld | %lld |\n", count, rounds(count),
                    static_cast<long long>(nodes.messages()), static_cast<long long>(end / 1'000'000 - 1),
                    static_cast<long long>(bound));
    }
}

INSTANTIATE_TEST_SUITE_P(Nodes, MeasureTest,
                         testing::Values(1, 2, 3, 4, 8, most_in_star, most_in_star + 1, 31, 32, 33, 100, 1000,
                                         4096));

TEST(MeasureRoundsTest, AStarTakesItsNodesAndATreeTheLogarithm) {
    EXPECT_EQ(rounds(1), 0);
    EXPECT_EQ(rounds(2), 1);
    EXPECT_EQ(rounds(16), 15);
    EXPECT_EQ(rounds(17), 5);
    EXPECT_EQ(rounds(4096), 12);
}

TEST(MeasureRoundsTest, LinksAddUpInATree) {
    EXPECT_EQ(links_to(0, 4096), 0);
    EXPECT_EQ(links_to(15, most_in_star), 1);
    EXPECT_EQ(links_to(16, 17), 1);
    EXPECT_EQ(links_to(4095, 4096), 12);
    EXPECT_EQ(reference_of(13, 4096), 5);
}

TEST(MeasureEffortTest, MeasuringEndsEarlyWhereNothingIsGained) {
    SimulatedNodes nodes(2, {5'000, 0}, deadline, 1);
    Results results = measure_all(nodes, 2, {10, 100, 20'000'000});
    EXPECT_EQ(results[1]->samples, 50);
    EXPECT_LE(results[1]->width(), 2 * 7'000);
}

// Round trips far above the usual, in nodes that give up after a silence, as those of a traced program do.
class MeasureBudgetTest : public testing::TestWithParam<std::pair<int, int64_t>> {};

TEST_P(MeasureBudgetTest, SlowNetworksLeaveEverybodyAnEstimateInTime) {
    constexpr int64_t timeout = 2'000'000'000;
    auto [count, round_trip] = GetParam();
    SimulatedNodes nodes(count, {round_trip / 2, 0}, 5 * timeout, 1);
    nodes.give_up_after(timeout);
    set_clocks(nodes, count);
    Results results = measure_all(nodes, count, {100, 10, timeout / 4, timeout / 2});
    for (int node = 0; node < count; ++node) {
        const auto& estimate = results[static_cast<size_t>(node)];
        ASSERT_TRUE(estimate) << node;
        EXPECT_LT(nodes.end_of(node), 2 * timeout) << node;
        EXPECT_LE(estimate->low, nodes.true_offset(node, estimate->local)) << node;
        EXPECT_GE(estimate->high, nodes.true_offset(node, estimate->local)) << node;
    }
}

INSTANTIATE_TEST_SUITE_P(Nodes, MeasureBudgetTest,
                         testing::Values(std::pair{2, 10'000'000}, std::pair{16, 10'000'000},
                                         std::pair{16, 100'000'000}, std::pair{17, 10'000'000},
                                         std::pair{64, 50'000'000}));

// Faults: number of nodes, and the node that has one.
class MeasureFaultTest : public testing::TestWithParam<std::pair<int, int>> {
 protected:
    void run(SimulatedNodes& nodes) {
        set_clocks(nodes, count);
        results = measure_all(nodes, count, small);
        for (int node = 0; node < count; ++node) end = std::max(end, node == faulty ? 0 : nodes.end_of(node));
    }
    // All but those behind the one with a fault, and itself.
    void expect_all_others(SimulatedNodes& nodes) {
        for (int node = 0; node < count; ++node) {
            EXPECT_EQ(nodes.has_returned(node) || node == faulty, true) << node;
            EXPECT_EQ(results[static_cast<size_t>(node)].has_value(), !lies_behind(node, faulty, count))
                << node;
        }
        // It gives up at once then, but for a nap and the answers that it waits for.
        EXPECT_LT(end, deadline + 2'000'000);
    }

    int count = GetParam().first, faulty = GetParam().second;
    Results results;
    int64_t end = 0;
};

TEST_P(MeasureFaultTest, ANodeThatNeverComesHoldsUpThoseBehindIt) {
    SimulatedNodes nodes(count, {}, deadline, 1);
    nodes.start_at(faulty, SimulatedNodes::never);
    run(nodes);
    expect_all_others(nodes);
}

TEST_P(MeasureFaultTest, ANodeThatDiesInMidBurstHoldsUpThoseBehindIt) {
    SimulatedNodes nodes(count, {}, deadline, 1);
    nodes.dies_at_message(faulty, 5);
    run(nodes);
    expect_all_others(nodes);
}

TEST_P(MeasureFaultTest, ANodeThatComesAfterTheEndHoldsUpThoseBehindIt) {
    SimulatedNodes nodes(count, {}, deadline, 1);
    nodes.start_at(faulty, deadline + 100'000'000);
    run(nodes);
    expect_all_others(nodes);
    EXPECT_TRUE(nodes.has_returned(faulty));
}

TEST_P(MeasureFaultTest, ANodeThatIsLateIsMeasuredLate) {
    SimulatedNodes nodes(count, {}, deadline, 1);
    nodes.start_at(faulty, deadline / 2);
    run(nodes);
    for (int node = 0; node < count; ++node) EXPECT_TRUE(results[static_cast<size_t>(node)]) << node;
    EXPECT_LT(end, deadline);
    // Only those on the way to it and behind it have to wait.
    for (int node = 0; node < count; ++node) {
        if (lies_behind(faulty, node, count) || lies_behind(node, faulty, count)) continue;
        EXPECT_LT(nodes.end_of(node), node == 0 ? deadline : deadline / 4) << node;
    }
}

TEST_P(MeasureFaultTest, TheDeathOfTheReferenceEndsAll) {
    SimulatedNodes nodes(count, {}, deadline, 1);
    nodes.dies_at_message(0, 7);
    results = measure_all(nodes, count, small);
    for (int node = 1; node < count; ++node) {
        EXPECT_TRUE(nodes.has_returned(node)) << node;
        EXPECT_FALSE(results[static_cast<size_t>(node)]) << node;
        EXPECT_LT(nodes.end_of(node), deadline + 2'000'000) << node;
    }
}

INSTANTIATE_TEST_SUITE_P(Nodes, MeasureFaultTest,
                         testing::Values(std::pair{2, 1}, std::pair{4, 2}, std::pair{16, 15},
                                         std::pair{17, 1}, std::pair{40, 3}, std::pair{40, 39},
                                         std::pair{300, 2}, std::pair{300, 129}));

}  // namespace
}  // namespace ovni::sync
