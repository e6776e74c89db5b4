// Calls for mpi.prv, and times of calls, come out as they were added, whatever they say.
#include "messages/scan/recorded_calls.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "messages/scan/call_times.hpp"

namespace ovni::test {
namespace {

class RecordedCallsTest : public testing::Test {
 protected:
    // Any size, both signs.
    int64_t number() {
        const auto bits = random_() % 65;
        const auto size = bits == 64 ? random_() : random_() & ((uint64_t{1} << bits) - 1);
        return static_cast<int64_t>(is_odd() ? size : -size);
    }
    bool is_odd() { return random_() % 2 != 0; }
    template <class Enum>
    Enum one_of(uint64_t count) {
        return static_cast<Enum>(random_() % count);
    }

    std::mt19937_64 random_{1};
};

void expect_same_call(const RecordedCall& found, const RecordedCall& expected) {
    EXPECT_EQ(found.time, expected.time);
    EXPECT_EQ(found.offset, expected.offset);
    EXPECT_EQ(found.sent, expected.sent);
    EXPECT_EQ(found.received, expected.received);
    EXPECT_EQ(found.communicator, expected.communicator);
    EXPECT_EQ(found.target, expected.target);
    EXPECT_EQ(found.state, expected.state);
    EXPECT_EQ(found.state_end, expected.state_end);
    EXPECT_EQ(found.begins_state, expected.begins_state);
    EXPECT_EQ(found.step, expected.step);
    EXPECT_EQ(found.tracing, expected.tracing);
    EXPECT_EQ(found.kind, expected.kind);
    EXPECT_EQ(found.function, expected.function);
}

TEST_F(RecordedCallsTest, ComeOutAsTheyWere) {
    for (int round = 0; round < 300; ++round) {
        RecordedCalls packed;
        std::vector<RecordedCall> all;
        RecordedCall last;
        uint16_t entered = 0;
        for (auto left = random_() % 500; left > 0; --left) {
            RecordedCall call;
            call.time = number();
            call.offset = static_cast<uint64_t>(number());
            call.kind = one_of<EventView::Kind>(4);
            call.step = one_of<RecordedCall::Step>(3);
            call.tracing = one_of<RecordedCall::Tracing>(3);
            call.begins_state = is_odd();
            call.state = call.begins_state ? one_of<ParaverState>(12) : last.state;
            if (call.begins_state) call.state_end = is_odd() ? RecordedCall::never : number();
            if (call.step == RecordedCall::Step::enter) entered = static_cast<uint16_t>(random_());
            if (call.step != RecordedCall::Step::none) call.function = entered;
            if (is_odd()) {
                call.sent = static_cast<uint64_t>(number());
                call.received = static_cast<uint64_t>(number());
                call.communicator = static_cast<uint32_t>(random_());
                call.target = static_cast<int32_t>(random_());
            }
            packed.add(call);
            all.push_back(last = call);
        }
        ASSERT_EQ(packed.size(), all.size());
        RecordedCallsReader reader(packed);
        RecordedCall found;
        for (const RecordedCall& expected : all) {
            ASSERT_TRUE(reader.next(found));
            expect_same_call(found, expected);
        }
        EXPECT_FALSE(reader.next(found));
    }
}

TEST_F(RecordedCallsTest, TimesOfCallsHaveAnyLength) {
    constexpr int64_t edge = UINT32_MAX;
    CallTimes times;
    std::vector<CallTime> all;
    int64_t enter = 0;
    for (const int64_t length :
         {int64_t{0}, int64_t{1}, edge - 1, edge, edge + 1, int64_t{1} << 50, int64_t{-1}}) {
        all.push_back({enter, enter + length, static_cast<uint16_t>(length & 63), is_odd() ? 0U : 9U});
        times.push_back(all.back());
        enter += 10;
    }
    ASSERT_EQ(times.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(times.enter(i), all[i].enter);
        EXPECT_EQ(times.leave(i), all[i].leave);
        EXPECT_EQ(times.function(i), all[i].function);
        EXPECT_EQ(times.request(i), all[i].request);
        EXPECT_EQ(times.first_not([&](size_t call) { return times.enter(call) < all[i].enter; }), i);
    }
}

}  // namespace
}  // namespace ovni::test
