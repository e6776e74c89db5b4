#include "core/clock_line.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ovni::test {

namespace {

__extension__ using Wide = __int128;
constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();

// The offset as a fraction, rounded down.
int64_t exact_offset(const ClockPoint& a, const ClockPoint& b, int64_t local) {
    Wide product = (Wide{local} - a.local) * (Wide{b.offset} - a.offset), run = Wide{b.local} - a.local;
    return static_cast<int64_t>(a.offset + product / run - (product % run < 0 ? 1 : 0));
}

TEST(ClockLineTest, AConstantIsAddedWithinTheRange) {
    EXPECT_EQ(ClockLine().corrected(7), 7);
    EXPECT_EQ(ClockLine(-5).corrected(7), 2);
    EXPECT_EQ(ClockLine(5).corrected(most - 2), most);
    EXPECT_EQ(ClockLine(-5).corrected(least + 2), least);
    int64_t clock = 0;
    EXPECT_TRUE(ClockLine(5).correct(most - 5, clock));
    EXPECT_EQ(clock, most);
    EXPECT_FALSE(ClockLine(5).correct(most - 4, clock));
    EXPECT_EQ(ClockLine(5).measured_to(), most);
}

// +50 ppm for 10 s, then -20 ppm.
TEST(ClockLineTest, GoesFromPointToPointAndOn) {
    constexpr int64_t second = 1'000'000'000;
    ClockLine line({{100 * second, 1000}, {110 * second, 501'000}, {120 * second, 301'000}});
    auto offset = [&](int64_t local) { return line.corrected(local) - local; };
    EXPECT_EQ(offset(100 * second), 1000);
    EXPECT_EQ(offset(105 * second), 251'000);
    EXPECT_EQ(offset(110 * second), 501'000);
    EXPECT_EQ(offset(115 * second), 401'000);
    EXPECT_EQ(offset(120 * second), 301'000);
    EXPECT_EQ(offset(130 * second), 101'000);
    EXPECT_EQ(offset(99 * second), -49'001);  // rounded down
    EXPECT_EQ(line.measured_from(), 100 * second);
    EXPECT_EQ(line.measured_to(), 120 * second);
}

TEST(ClockLineTest, PointsThatCannotBeALineDoNotFit) {
    EXPECT_FALSE(ClockLine::fits({10, 0}, {10, 0}));
    EXPECT_FALSE(ClockLine::fits({10, 0}, {9, 0}));
    EXPECT_FALSE(ClockLine::fits({10, 0}, {20, -10}));
    EXPECT_TRUE(ClockLine::fits({10, 0}, {20, -9}));
    EXPECT_FALSE(ClockLine::fits({10, 0}, {20, 10}));
    EXPECT_FALSE(ClockLine::fits({least, 0}, {most, 0}));
}

TEST(ClockLineTest, TheLineOfAClockAheadGivesTheSameTimes) {
    ClockLine line(std::vector<ClockPoint>{{100, 10}, {200, 30}, {400, 20}}), ahead = line.ahead_by(5000);
    for (int64_t local : {0, 100, 150, 300, 400, 700})
        EXPECT_EQ(ahead.corrected(local + 5000), line.corrected(local)) << local;
    EXPECT_EQ(ahead.measured_from(), 5100);
    EXPECT_EQ(ahead.measured_to(), 5400);
    EXPECT_EQ(ClockLine(7).ahead_by(-5).corrected(10), 22);
    EXPECT_EQ(ClockLine().ahead_by(3).corrected(10), 7);
}

TEST(ClockLineTest, KeepsTheOrderAndIsNeverOffByMoreThanOne) {
    std::mt19937_64 random(7);
    auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
    for (int round = 0; round < 200; ++round) {
        int64_t run = int64_t{1} << (1 + below(50)), steepest = below(2) ? run - 1 : run / 10'000 + 1;
        std::vector<ClockPoint> points{{below(INT64_C(1) << 55), below(INT64_C(1) << 40)}};
        for (int i = 0; i < 3; ++i) {
            ClockPoint last = points.back();
            points.push_back({last.local + run, last.offset + below(2 * steepest) - steepest});
            ASSERT_TRUE(ClockLine::fits(last, points.back()));
        }
        ClockLine line(points);
        for (const ClockPoint& point : points)
            ASSERT_EQ(line.corrected(point.local), point.local + point.offset);
        for (int i = 0; i < 200; ++i) {
            size_t segment = static_cast<size_t>(below(3));
            int64_t local = points[segment].local + below(run);
            int64_t exact = local + exact_offset(points[segment], points[segment + 1], local);
            ASSERT_GE(line.corrected(local), exact);
            ASSERT_LE(line.corrected(local), exact + 1);
            ASSERT_LE(line.corrected(local), line.corrected(local + 1));
        }
        for (int i = -3; i < 3; ++i)
            ASSERT_LE(line.corrected(points[1].local + i), line.corrected(points[1].local + i + 1));
    }
}

TEST(ClockLineTest, TheFirstLocalTimeOfACorrectedOneIsFound) {
    EXPECT_EQ(ClockLine(100).first_local(50), -50);
    EXPECT_EQ(ClockLine(-100).first_local(most), most);
    EXPECT_EQ(ClockLine(100).first_local(least), least);
    // Two steps of the local clock are three, or one.
    for (const ClockLine& line : {ClockLine({{0, 0}, {1000, 500}}), ClockLine({{0, 0}, {1000, -500}})})
        for (int64_t time = -100; time < 1600; ++time) {
            int64_t first = line.first_local(time);
            ASSERT_GE(line.corrected(first), time);
            ASSERT_LT(line.corrected(first - 1), time);
        }
}

TEST(ClockLineTest, TimesFarAwayStayInRange) {
    ClockLine line({{0, 0}, {2, 1}});
    int64_t clock = 0;
    EXPECT_FALSE(line.correct(most, clock));
    EXPECT_EQ(line.corrected(most), most);
    EXPECT_FALSE(line.correct(least, clock));
    EXPECT_EQ(line.corrected(least), least);
}

}  // namespace

}  // namespace ovni::test
