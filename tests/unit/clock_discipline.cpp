// The discipline of the clock on machines of every kind: wrong rates, jumps, gaps, writers that die.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/virtual_clocks.hpp"

namespace ovni::test {

namespace {

constexpr int64_t us = 1'000;
constexpr int64_t ms = 1'000'000;
constexpr int64_t s = 1'000'000'000;

class ClockDisciplineTest : public ::testing::Test {
 protected:
    using Discipline = ClockDiscipline<VirtualClocks>;

    Discipline writer() { return Discipline(clock_.page, clock_.clocks); }

    // Steps for that long, reading all the time; the largest error after the first tenth.
    int64_t largest_error(Discipline& discipline, int64_t duration, int64_t interval) {
        int64_t begin = machine_.now();
        int64_t largest = 0;
        while (machine_.now() - begin < duration) {
            for (int i = 0; i < 8; ++i) {
                machine_.pass(interval / 8);
                check_monotone();
                if (machine_.now() - begin > duration / 10)
                    largest = std::max(largest, std::abs(clock_.error()));
            }
            discipline.step();
            check_monotone();
        }
        return largest;
    }
    void check_monotone() {
        for (int i = 0; i < 3; ++i) {
            uint64_t now = clock_.read();
            EXPECT_GE(now, latest_);
            latest_ = now;
        }
    }

    VirtualClock clock_;
    VirtualMachine& machine_ = clock_.machine;
    uint64_t latest_ = 0;
};

TEST_F(ClockDisciplineTest, FollowsTheMonotonicClockAtAnyRates) {
    for (int64_t mhz : {600, 1000, 2596, 5100})
        for (int64_t ppb : {-200'000, 0, 37, 500'000, 100'000'000}) {
            SCOPED_TRACE(std::to_string(mhz) + " MHz, " + std::to_string(ppb) + " ppb");
            clock_.machine.set_tsc_mhz(mhz);
            clock_.machine.set_monotonic_rate(ppb);
            format_clock_page(clock_.page, {});
            latest_ = 0;
            Discipline discipline = writer();
            EXPECT_LT(largest_error(discipline, 2 * s, ms), 100);
            EXPECT_EQ(clock_.page.steps, 0U);
        }
}

TEST_F(ClockDisciplineTest, FollowsAtAnyInterval) {
    Discipline discipline = writer();
    for (int64_t interval : {ms, 10 * ms, 100 * ms, s})
        EXPECT_LT(largest_error(discipline, 20 * interval, interval), 100) << interval;
    EXPECT_EQ(clock_.page.steps, 0U);
}

TEST_F(ClockDisciplineTest, TheTscIsCalibratedAfterTwoMilliseconds) {
    Discipline discipline = writer();
    int steps = 0;
    for (; clock_.page.index == 0 && steps < 10; ++steps) clock_.run(discipline, 1, ms);
    EXPECT_EQ(steps, 3);
    EXPECT_EQ(clock_.page.state, static_cast<uint32_t>(ClockState::tsc));
    EXPECT_LT(largest_error(discipline, 10 * ms, ms), 500);
}

TEST_F(ClockDisciplineTest, AHookIsPartOfTheTarget) {
    format_clock_page(clock_.page, {123'456'789, 20'000, 7});
    Discipline discipline = writer();
    EXPECT_LT(largest_error(discipline, s, ms), 100);
}

TEST_F(ClockDisciplineTest, SteersOutAChangeOfTheRate) {
    Discipline discipline = writer();
    clock_.run(discipline, 1000, ms);
    machine_.set_monotonic_rate(500'000);
    EXPECT_LT(largest_error(discipline, 100 * ms, ms), 20 * us);
    EXPECT_LT(largest_error(discipline, 3 * s, ms), 20 * us);
    EXPECT_LT(largest_error(discipline, s, ms), 100);
    EXPECT_EQ(clock_.page.steps, 0U);
}

TEST_F(ClockDisciplineTest, JumpsForwardsAtOnce) {
    Discipline discipline = writer();
    clock_.run(discipline, 1000, ms);
    check_monotone();
    machine_.jump_monotonic(3 * s);
    clock_.run(discipline, 2, ms);
    check_monotone();
    EXPECT_LT(std::abs(clock_.error()), us);
    EXPECT_EQ(clock_.page.steps, 1U);
    EXPECT_LT(largest_error(discipline, s, ms), 500);
    EXPECT_EQ(clock_.page.steps, 1U);
}

TEST_F(ClockDisciplineTest, WaitsWhereItIsAheadByAJump) {
    Discipline discipline = writer();
    clock_.run(discipline, 1000, ms);
    check_monotone();
    machine_.jump_tsc(2'596'000'000 / 2);  // half a second, as if suspended
    check_monotone();
    EXPECT_GT(clock_.error(), 400 * ms);
    largest_error(discipline, s, ms);
    EXPECT_LT(largest_error(discipline, s, ms), us);
    EXPECT_EQ(clock_.page.steps, 1U);
}

TEST_F(ClockDisciplineTest, LongGapsAreNoJumps) {
    Discipline discipline = writer();
    clock_.run(discipline, 1000, ms);
    for (int64_t gap : {s, 10 * s, 1000 * s}) {
        machine_.set_monotonic_rate(gap % 7 * 10'000);
        machine_.pass(gap);
        check_monotone();
        EXPECT_LT(std::abs(clock_.error()), gap / 10'000);
        largest_error(discipline, 2 * s, ms);
        EXPECT_LT(largest_error(discipline, s, ms), 100);
    }
    EXPECT_EQ(clock_.page.steps, 0U);
}

TEST_F(ClockDisciplineTest, ARateThatChangesAtOnceIsFound) {
    Discipline discipline = writer();
    clock_.run(discipline, 1000, 10 * ms);
    machine_.set_tsc_mhz(1000);  // the process moved to another machine
    largest_error(discipline, 2 * s, 10 * ms);
    EXPECT_LT(largest_error(discipline, 2 * s, 10 * ms), us);
}

TEST_F(ClockDisciplineTest, TheTscOfASuccessorGoesOnWhereItWas) {
    Discipline first = writer();
    clock_.run(first, 1000, ms);
    uint64_t segments = clock_.page.published;
    machine_.pass(20 * ms);
    check_monotone();
    Discipline second = writer();
    EXPECT_LT(largest_error(second, 50 * ms, ms), 100);
    EXPECT_GT(clock_.page.published, segments);
    EXPECT_EQ(clock_.page.steps, 0U);
}

TEST_F(ClockDisciplineTest, ASuccessorCalibratesWhatWasNot) {
    Discipline first = writer();
    clock_.run(first, 1, ms);
    Discipline second = writer();
    EXPECT_LT(largest_error(second, s, ms), 100);
}

TEST_F(ClockDisciplineTest, AWriterThatIsHeldUpTriesAgain) {
    Discipline discipline = writer();
    std::minstd_rand random(1);
    for (int i = 0; i < 3000; ++i) {
        machine_.pass(ms);
        check_monotone();
        // Somewhere in its readings, for up to twice the margin, it does not run, but readers do.
        int reading = static_cast<int>(random() % 20);
        std::function<void()> sleep = [&] {
            if (reading-- > 0) {
                machine_.after_ticks_in_order = sleep;
                return;
            }
            machine_.pass(static_cast<int64_t>(random() % (40 * us)));
            check_monotone();
        };
        machine_.after_ticks_in_order = sleep;
        discipline.step();
        machine_.after_ticks_in_order = nullptr;
        check_monotone();
    }
    EXPECT_GT(clock_.page.late, 10U);
    EXPECT_LT(std::abs(clock_.error()), us);
}

TEST_F(ClockDisciplineTest, TheSystemsClockStaysIfTheTscIsNotUsable) {
    machine_.tsc_is_usable = false;
    machine_.ns_per_reading = 0;
    Discipline discipline = writer();
    EXPECT_EQ(discipline.step(), ClockStep::not_usable);
    EXPECT_EQ(largest_error(discipline, s, ms), 0);
    EXPECT_EQ(clock_.page.state, static_cast<uint32_t>(ClockState::not_usable));
    EXPECT_EQ(clock_.page.index, 0U);
}

TEST_F(ClockDisciplineTest, ATscThatIsSetBackIsGivenUp) {
    Discipline discipline = writer();
    clock_.run(discipline, 1000, ms);
    machine_.jump_tsc(-4 * s);
    machine_.ns_per_reading = 0;
    EXPECT_EQ(discipline.step(), ClockStep::not_usable);
    check_monotone();
    machine_.pass(ms);
    EXPECT_EQ(clock_.error(), 0);
    Discipline successor = writer();
    EXPECT_EQ(successor.step(), ClockStep::not_usable);
    EXPECT_EQ(clock_.error(), 0);
}

TEST_F(ClockDisciplineTest, ASuccessorGivesUpATscThatWasSetBack) {
    Discipline first = writer();
    clock_.run(first, 1000, ms);
    machine_.jump_tsc(-4 * s);
    machine_.ns_per_reading = 0;
    Discipline second = writer();
    EXPECT_EQ(second.step(), ClockStep::not_usable);
    machine_.pass(ms);
    EXPECT_EQ(clock_.error(), 0);
}

}  // namespace

}  // namespace ovni::test
