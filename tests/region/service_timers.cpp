// Timers of the service, and the table that they stand in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "region/service.hpp"
#include "ring/session.hpp"

namespace ovni::test {
namespace {

using region::all_threads;
using region::Deadline;
using region::Deadlines;
using region::Service;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr uint64_t millisecond = 1'000'000;

TEST(DeadlineTable, TheEarliestComesFirstAndOfOneTimeTheFirstThatWasSet) {
    Deadlines table;
    EXPECT_EQ(table.earliest(), Deadlines::never);
    EXPECT_TRUE(table.set(1, 0, 30));
    EXPECT_TRUE(table.set(2, 0, 10));
    EXPECT_TRUE(table.set(3, all_threads, 30));
    EXPECT_TRUE(table.set(4, 0, 10));
    EXPECT_EQ(table.earliest(), 10u);
    EXPECT_FALSE(table.take(9));
    for (uint16_t alarm : {2, 4, 1, 3}) EXPECT_EQ(table.take(30)->alarm, alarm);
    EXPECT_FALSE(table.take(Deadlines::never));
}

TEST(DeadlineTable, ADeadlineForAllThreadsReplacesThoseOfAll) {
    Deadlines table;
    table.set(1, 5, 10);
    table.set(1, 6, 11);
    table.set(2, 5, 12);
    table.set(1, all_threads, 20);
    table.set(1, 5, 25);
    table.set(2, 5, 22);
    EXPECT_EQ(table.take(99)->at, 20u);
    EXPECT_EQ(table.take(99)->at, 22u);
    EXPECT_EQ(table.take(99)->at, 25u);
    EXPECT_FALSE(table.take(99));
}

TEST(DeadlineTable, WhatFindsNoRoomIsRefusedUntilThereIsSome) {
    Deadlines table;
    for (uint32_t thread = 0; thread < Deadlines::most; ++thread) ASSERT_TRUE(table.set(1, thread, thread));
    EXPECT_FALSE(table.set(2, 0, 5));
    EXPECT_TRUE(table.set(1, 7, 1));
    EXPECT_EQ(table.take(9)->thread, 0u);
    EXPECT_TRUE(table.set(2, 0, 5));
}

TEST(DeadlineTable, AgreesWithAListThatIsSearched) {
    Deadlines table;
    std::map<std::pair<uint16_t, uint32_t>, std::pair<uint64_t, int>> list;
    std::mt19937 random(1);
    for (int step = 0; step < 20'000; ++step) {
        auto alarm = static_cast<uint16_t>(random() % 4);
        uint32_t thread = random() % 10 == 0 ? all_threads : random() % 8;
        uint64_t at = random() % 1000;
        if (random() % 2 == 0) {
            std::erase_if(list, [=](const auto& one) {
                return one.first.first == alarm && (thread == all_threads || one.first.second == thread);
            });
            list[{alarm, thread}] = {at, step};
            ASSERT_TRUE(table.set(alarm, thread, at));
            continue;
        }
        std::optional<Deadline> taken = table.take(at);
        auto first = std::ranges::min_element(list, {}, [](const auto& one) { return one.second; });
        bool is_due = first != list.end() && first->second.first <= at;
        ASSERT_EQ(taken.has_value(), is_due);
        if (!is_due) continue;
        ASSERT_EQ(std::pair(taken->alarm, taken->thread), first->first);
        list.erase(first);
    }
}

// The alarms that have rung, in order.
std::mutex rung_mutex;
std::vector<std::pair<uint16_t, uint32_t>> rung;
std::vector<uint64_t> rung_at;
Service* ringing;
std::atomic<int> rearmings;

void note(uint16_t alarm, uint32_t thread) noexcept {
    std::lock_guard lock(rung_mutex);
    rung.emplace_back(alarm, thread);
    rung_at.push_back(writer::monotonic_clock());
}

void note_and_arm_again(uint16_t alarm, uint32_t thread) noexcept {
    note(alarm, thread);
    if (rearmings.fetch_sub(1) > 0) ringing->arm_timer(alarm, thread, 0);
}

class TimerTest : public ::testing::Test {
 protected:
    TimerTest() {
        rung.clear();
        rung_at.clear();
        ringing = &service();
        rearmings = 0;
    }
    ~TimerTest() override { service().stop(); }
    Service& service() { return service_.value; }
    bool start(void (*timer)(uint16_t, uint32_t) noexcept = note) {
        return service().start({timer, nullptr}, "");
    }
    static void await(size_t count) {
        for (int i = 0; i < 20'000; ++i) {
            if (std::lock_guard lock(rung_mutex); rung.size() >= count) return;
            ::usleep(1000);
        }
        FAIL() << "timers do not ring";
    }

 private:
    writer::Immortal<Service> service_;
};

TEST_F(TimerTest, TimersRingInTheOrderOfTheirDeadlines) {
    ASSERT_TRUE(start());
    service().arm_timer(1, 0, 60 * millisecond);
    service().arm_timer(2, all_threads, 20 * millisecond);
    service().arm_timer(3, 7, 40 * millisecond);
    await(3);
    EXPECT_THAT(rung, ElementsAre(Pair(2, all_threads), Pair(3, 7), Pair(1, 0)));
}

TEST_F(TimerTest, WhatIsArmedBeforeTheStartRingsToo) {
    service().arm_timer(1, 0, 0);
    ASSERT_TRUE(start());
    await(1);
    EXPECT_THAT(rung, ElementsAre(Pair(1, 0)));
}

TEST_F(TimerTest, ADeadlineIsReplacedByALaterOne) {
    ASSERT_TRUE(start());
    service().arm_timer(1, 0, 30 * millisecond);
    service().arm_timer(1, 1, 30 * millisecond);
    service().arm_timer(1, all_threads, 80 * millisecond);
    service().arm_timer(2, 0, 100 * millisecond);
    await(2);
    EXPECT_THAT(rung, ElementsAre(Pair(1, all_threads), Pair(2, 0)));
}

// Others have their turn all the same.
TEST_F(TimerTest, ATimerOfZeroMayArmItselfAgain) {
    rearmings = 1000;
    ASSERT_TRUE(start(note_and_arm_again));
    service().arm_timer(2, 0, millisecond);
    service().arm_timer(1, 0, 0);
    await(1002);
    EXPECT_NE(std::ranges::find(rung, std::pair<uint16_t, uint32_t>(2, 0)), rung.end());
}

TEST_F(TimerTest, VeryLongTimersDoNotRing) {
    ASSERT_TRUE(start());
    service().arm_timer(1, 0, ~uint64_t{0});
    service().arm_timer(2, 0, ~uint64_t{0} / 2);
    service().arm_timer(3, 0, millisecond);
    await(1);
    EXPECT_THAT(rung, ElementsAre(Pair(3, 0)));
}

TEST_F(TimerTest, ManyThreadsArmAtTheSameTime) {
    constexpr int threads = 8, of_each = 250;
    ASSERT_TRUE(start());
    std::vector<std::thread> all;
    for (uint32_t t = 0; t < threads; ++t)
        all.emplace_back([this, t] {
            for (uint16_t i = 0; i < of_each; ++i)
                service().arm_timer(i, t, uint64_t{i} % 7 * millisecond / 4);
        });
    for (std::thread& one : all) one.join();
    await(size_t{threads} * of_each);
    std::ranges::sort(rung);
    EXPECT_EQ(std::adjacent_find(rung.begin(), rung.end()), rung.end());
    EXPECT_EQ(rung.size(), size_t{threads} * of_each);
}

TEST_F(TimerTest, MoreThanThereIsRoomForAreLostWithOneLine) {
    testing::internal::CaptureStderr();
    for (uint32_t thread = 0; thread < Deadlines::most + 10; ++thread) service().arm_timer(1, thread, 0);
    testing::internal::GetCapturedStderr();
    ASSERT_TRUE(start());
    await(Deadlines::most);
    service().stop();
    EXPECT_EQ(rung.size(), Deadlines::most);
}

TEST_F(TimerTest, NoTimerRingsAfterTheEnd) {
    ASSERT_TRUE(start());
    service().arm_timer(1, 0, 50 * millisecond);
    service().stop();
    ::usleep(100'000);
    EXPECT_TRUE(rung.empty());
}

// Printed, not judged.
TEST_F(TimerTest, NoTimerRingsEarly) {
    constexpr int count = 100;
    ASSERT_TRUE(start());
    std::vector<int64_t> late;
    for (int i = 0; i < count; ++i) {
        uint64_t due = writer::monotonic_clock() + 2 * millisecond;
        service().arm_timer(1, 0, 2 * millisecond);
        await(static_cast<size_t>(i) + 1);
        std::lock_guard lock(rung_mutex);
        late.push_back(static_cast<int64_t>(rung_at.back() - due));
    }
    std::ranges::sort(late);
    std::printf("late by %ld us (median), %ld us (most)\n", late[count / 2] / 1000, late.back() / 1000);
    EXPECT_GE(late.front(), 0);
}

}  // namespace
}  // namespace ovni::test
