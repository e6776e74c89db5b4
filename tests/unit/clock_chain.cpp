// The chain of segments that makes the clock: what readers see of it at every stage of a publication, and
// when they or the writer sleep in between.
#include <gtest/gtest.h>

#include "tests/unit/virtual_clocks.hpp"

namespace ovni::test {

namespace {

constexpr uint64_t margin = 50'000;
constexpr uint64_t one_ns_per_tick = uint64_t{1} << 60;

class ClockChainTest : public ::testing::Test {
 protected:
    void SetUp() override { machine_.ns_per_reading = 0; }

    using Publisher = ClockPublisher<VirtualClocks>;

    // A segment from about now on, that much above the clock there.
    static bool append(Publisher& publisher, uint64_t multiplier, uint64_t lift = 0) {
        uint64_t start = publisher.next_start(margin);
        return publisher.append(start, (publisher.is_linear() ? publisher.at(start) : 10'000'000'000) + lift,
                                multiplier);
    }
    Publisher started() {
        Publisher publisher(clock_.page, clock_.clocks);
        EXPECT_TRUE(append(publisher, one_ns_per_tick / 2));
        clock_.machine.pass(100'000);
        return publisher;
    }

    VirtualClock clock_;
    VirtualMachine& machine_ = clock_.machine;
};

TEST_F(ClockChainTest, TheSystemsClockIsReadUntilTheFirstSegmentStarts) {
    EXPECT_EQ(clock_.error(), 0);
    Publisher publisher(clock_.page, clock_.clocks);
    ASSERT_TRUE(append(publisher, one_ns_per_tick / 2));
    EXPECT_EQ(clock_.error(), 0);
    machine_.pass(100'000);
    EXPECT_GE(clock_.read(), 10'000'000'000U);
}

TEST_F(ClockChainTest, TheFirstSegmentIsReadByWhoSleptInTheSystemsClock) {
    machine_.after_ticks = [this] { started(); };
    EXPECT_GE(clock_.read(), 10'000'000'000U);
}

TEST_F(ClockChainTest, TheHookMovesTheSystemsClock) {
    VirtualClock hooked({1'000'000, 500'000'000, 0});
    hooked.machine.ns_per_reading = 0;
    EXPECT_EQ(hooked.error(), 0);
    EXPECT_GT(hooked.read(), 7'500'000'000U);
}

TEST_F(ClockChainTest, ASegmentHoldsFromItsStartOn) {
    Publisher publisher = started();
    uint64_t before = publisher.current().tsc_start;
    ASSERT_TRUE(append(publisher, one_ns_per_tick / 4));
    uint64_t after = publisher.current().tsc_start;
    EXPECT_LT(machine_.tsc(), after);
    EXPECT_EQ(clock_.read(), 10'000'000'000 + (machine_.tsc() - before) / 2);
    machine_.pass(100'000);
    EXPECT_EQ(clock_.read(), 10'000'000'000 + (after - before) / 2 + (machine_.tsc() - after) / 4);
}

TEST_F(ClockChainTest, AReaderThatSleptGetsTheValueOfItsTick) {
    for (unsigned segments : {1U, 2U, 62U}) {
        Publisher publisher = started();
        uint64_t expected = publisher.at(machine_.tsc());
        machine_.after_ticks = [&] {
            for (unsigned i = 0; i < segments; ++i, machine_.pass(100'000))
                ASSERT_TRUE(append(publisher, one_ns_per_tick / (2 + i % 3)));
        };
        EXPECT_EQ(clock_.read(), expected) << segments;
    }
}

TEST_F(ClockChainTest, AReaderThatSleptThroughTheRingReadsAgain) {
    for (unsigned segments : {63U, 64U, 65U, 200U}) {
        Publisher publisher = started();
        machine_.after_ticks = [&] {
            for (unsigned i = 0; i < segments; ++i, machine_.pass(100'000))
                ASSERT_TRUE(append(publisher, one_ns_per_tick / (2 + i % 3)));
        };
        EXPECT_GE(clock_.read(), publisher.current().ns_start) << segments;
        EXPECT_EQ(clock_.read(), publisher.at(machine_.tsc()));
    }
}

TEST_F(ClockChainTest, AReaderThatSleepsBeforeItsReadingGetsTheValueOfItsTick) {
    for (unsigned segments : {1U, 2U, 63U, 64U, 65U, 200U}) {
        Publisher publisher = started();
        machine_.before_ticks = [&] {
            for (unsigned i = 0; i < segments; ++i, machine_.pass(100'000))
                ASSERT_TRUE(append(publisher, one_ns_per_tick / (2 + i % 3)));
        };
        uint64_t read = clock_.read();
        EXPECT_EQ(read, publisher.at(machine_.tsc())) << segments;
    }
}

// The index alone does not say so: the writer moves it last, and may die before.
TEST_F(ClockChainTest, AnEndThatIsAnnouncedBeforeTheReadingHolds) {
    Publisher publisher = started();
    machine_.before_ticks = [&] {
        ASSERT_TRUE(append(publisher, one_ns_per_tick / 3));
        --clock_.page.index;
        machine_.pass(100'000);
    };
    uint64_t read = clock_.read();
    EXPECT_EQ(read, publisher.at(machine_.tsc()));
}

// Half of the slot is of the segment that a writer fills in, and has not published before its start.
TEST_F(ClockChainTest, AGuessOfASlotThatIsRefilledIsNone) {
    Publisher publisher = started();
    detail::SegmentGuess guess = detail::guess_segment(clock_.page);
    auto* slot = const_cast<ClockSegment*>(guess.slot);
    for (unsigned i = 0; i < ClockPage::ring - 1; ++i, machine_.pass(100'000))
        ASSERT_TRUE(append(publisher, one_ns_per_tick / 2));
    slot->tsc_start = machine_.tsc();
    slot->length = ClockSegment::open;
    guess.tsc_start = slot->tsc_start;
    machine_.pass(100'000);
    EXPECT_FALSE(detail::holds_at(clock_.page, guess, machine_.tsc()));
    EXPECT_EQ(clock_.read(), publisher.at(machine_.tsc()));
}

TEST_F(ClockChainTest, AKeptGuessHoldsUntilItsEnd) {
    for (unsigned segments : {1U, 2U, 63U, 64U, 65U, 128U}) {
        Publisher publisher = started();
        detail::SegmentGuess kept{};
        detail::keep_guess(kept, detail::guess_segment(clock_.page));
        machine_.pass(1'000'000);
        detail::SegmentGuess loaded = detail::load_guess(kept);
        ASSERT_TRUE(detail::holds_at(clock_.page, loaded, machine_.tsc()));
        EXPECT_EQ(loaded.at(machine_.tsc()), clock_.read());
        for (unsigned i = 0; i < segments; ++i, machine_.pass(100'000))
            ASSERT_TRUE(append(publisher, one_ns_per_tick / 3));
        EXPECT_FALSE(detail::holds_at(clock_.page, detail::load_guess(kept), machine_.tsc())) << segments;
    }
}

// So a handler finds it that comes while its thread replaces the guess.
TEST_F(ClockChainTest, AGuessThatIsBeingReplacedIsNone) {
    started();
    detail::SegmentGuess kept{};
    detail::keep_guess(kept, detail::guess_segment(clock_.page));
    kept.index = detail::SegmentGuess::none;
    EXPECT_FALSE(detail::holds_at(clock_.page, detail::load_guess(kept), machine_.tsc()));
}

TEST_F(ClockChainTest, AWriterThatIsLateTakesItsSegmentBack) {
    Publisher publisher = started();
    uint64_t start = publisher.next_start(margin);
    machine_.pass(1'000'000);
    uint64_t before = clock_.read();
    EXPECT_FALSE(publisher.append(start, publisher.at(start), 1));
    EXPECT_EQ(clock_.current().length, ClockSegment::open);
    EXPECT_EQ(clock_.read(), before);
    EXPECT_TRUE(append(publisher, one_ns_per_tick));
}

TEST_F(ClockChainTest, AReaderBeyondAnAnnouncedEndWithdrawsIt) {
    Publisher publisher = started();
    uint64_t seen = 0;
    machine_.after_ticks_in_order = [&] {  // of next_start(): the next one is of append()
        machine_.after_ticks_in_order = [&] {
            machine_.pass(1'000'000);
            seen = clock_.read();
        };
    };
    EXPECT_FALSE(append(publisher, 1));
    EXPECT_EQ(seen, publisher.at(machine_.tsc()));
    EXPECT_EQ(clock_.read(), seen);
    EXPECT_TRUE(append(publisher, one_ns_per_tick));
}

TEST_F(ClockChainTest, AReaderBeforeAnAnnouncedEndLeavesItAlone) {
    Publisher publisher = started();
    machine_.after_ticks_in_order = [&] {
        machine_.after_ticks_in_order = [&] { EXPECT_EQ(clock_.read(), publisher.at(machine_.tsc())); };
    };
    EXPECT_TRUE(append(publisher, one_ns_per_tick / 3));
}

TEST_F(ClockChainTest, TheFirstSegmentIsWithdrawnByWhoReadTheSystemsClockBeyondItsStart) {
    Publisher publisher(clock_.page, clock_.clocks);
    machine_.after_ticks_in_order = [&] {
        machine_.after_ticks_in_order = [&] {
            machine_.pass(1'000'000);
            EXPECT_EQ(clock_.error(), 0);
        };
    };
    EXPECT_FALSE(append(publisher, one_ns_per_tick));
    EXPECT_EQ(clock_.error(), 0);
    EXPECT_TRUE(append(publisher, one_ns_per_tick));
}

TEST_F(ClockChainTest, WhatAWriterAnnouncedBeforeItDiedIsTakenBack) {
    uint64_t first = started().current().tsc_start;
    clock_.current().length = (machine_.tsc() - first + 1'000) & ~uint64_t{1};
    Publisher successor(clock_.page, clock_.clocks);
    EXPECT_EQ(clock_.current().length, ClockSegment::open);
    EXPECT_TRUE(append(successor, one_ns_per_tick));
    machine_.pass(100'000);
    EXPECT_EQ(clock_.read(), successor.at(machine_.tsc()));
}

TEST_F(ClockChainTest, WhatAWriterConfirmedBeforeItDiedHolds) {
    Publisher publisher = started();
    ASSERT_TRUE(append(publisher, one_ns_per_tick / 3));
    --clock_.page.index;
    machine_.pass(100'000);
    uint64_t before = clock_.read();
    EXPECT_EQ(before, publisher.at(machine_.tsc()));
    Publisher successor(clock_.page, clock_.clocks);
    EXPECT_EQ(clock_.page.index, 2U);
    EXPECT_EQ(successor.current().tsc_start, publisher.current().tsc_start);
    EXPECT_EQ(clock_.read(), publisher.at(machine_.tsc()));
    EXPECT_TRUE(append(successor, one_ns_per_tick));
}

TEST_F(ClockChainTest, ARetiredClockIsTheSystemsButNotBelowTheOldOne) {
    Publisher publisher = started();
    uint64_t last = clock_.read();
    publisher.retire(last);
    EXPECT_EQ(clock_.read(), last);
    machine_.pass(10'000'000'000);
    EXPECT_EQ(clock_.error(), 0);
}

TEST_F(ClockChainTest, ADamagedPageGivesTheSystemsClock) {
    clock_.page.index = 12345;
    for (ClockSegment& segment : clock_.page.segments) segment = {~uint64_t{0}, 2, 0, 0};
    EXPECT_EQ(clock_.error(), 0);
    for (ClockSegment& segment : clock_.page.segments) segment = {0, 1, 0, 0};
    EXPECT_EQ(clock_.error(), 0);
}

TEST_F(ClockChainTest, OnlyAFormattedPageIsOne) {
    EXPECT_TRUE(is_clock_page(clock_.page));
    ++clock_.page.version;
    EXPECT_FALSE(is_clock_page(clock_.page));
    clock_.page.version = ClockPage::this_version;
    clock_.page.magic = 0;
    EXPECT_FALSE(is_clock_page(clock_.page));
    EXPECT_TRUE(is_clock_page(ClockPage{}));
}

}  // namespace

}  // namespace ovni::test
