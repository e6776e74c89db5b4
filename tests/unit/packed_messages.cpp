// Messages come out as they were packed, whatever they say, and in order.
#include "messages/match/packed_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "messages/match/sent_messages.hpp"
#include "messages/scan/call_times.hpp"

namespace ovni::test {
namespace {

bool is_sent_before(const Message& a, const Message& b) {
    return a.send_posted < b.send_posted;
}

class PackedMessagesTest : public ::testing::Test {
 protected:
    Message any_message() {
        Message of;
        of.send_posted = is_odd() ? number() : static_cast<int64_t>(random_() % 10);
        of.send_left = number();
        of.send_wait_begin = is_odd() ? of.send_posted : number();
        of.send_wait_end = is_odd() ? of.send_left : is_odd() ? MessageEnd::never : number();
        of.receive_posted = number();
        of.receive_wait_begin = is_odd() ? of.receive_posted : number();
        of.receive_wait_end = is_odd() ? MessageEnd::never : number();
        of.send_offset = static_cast<uint64_t>(number());
        of.receive_offset = static_cast<uint64_t>(number());
        of.bytes = is_odd() ? MessageEnd::unknown_bytes : static_cast<uint64_t>(number());
        of.communicator = is_odd() ? 1 : random_();
        of.send_stream = static_cast<uint32_t>(random_() % 3);
        of.receive_stream = static_cast<uint32_t>(random_());
        of.send_completed_in = is_odd() ? of.send_stream : is_odd() ? MessageEnd::no_stream : 7;
        of.receive_completed_in = is_odd() ? of.receive_stream : is_odd() ? MessageEnd::no_stream : 7;
        of.tag = static_cast<int32_t>(random_());
        for (uint16_t* function :
             {&of.send_function, &of.receive_function, &of.send_completed_by, &of.receive_completed_by})
            *function = is_odd() ? 3 : static_cast<uint16_t>(random_());
        return of;
    }
    // Any size, both signs.
    int64_t number() {
        const auto bits = random_() % 64;
        const auto size = static_cast<int64_t>(random_() & ((uint64_t{1} << bits) - 1));
        return is_odd() ? size : -size;
    }
    bool is_odd() { return random_() % 2 != 0; }

    static std::vector<Message> unpacked(const PackedMessages& packed) {
        std::vector<Message> all;
        MessageReader reader(packed);
        while (const Message* message = reader.next()) all.push_back(*message);
        EXPECT_EQ(reader.next(), nullptr);
        return all;
    }
    static void expect_equal(const std::vector<Message>& found, const std::vector<Message>& expected) {
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(std::memcmp(&found[i], &expected[i], sizeof found[i]), 0) << "message " << i;
    }

    std::mt19937_64 random_{1};
};

TEST_F(PackedMessagesTest, ComeOutAsTheyWereInOrder) {
    for (int round = 0; round < 300; ++round) {
        PackedMessages packed(is_sent_before);
        std::vector<Message> all;
        for (auto left = random_() % 300; left > 0; --left) {
            all.push_back(any_message());
            packed.add(all.back());
        }
        std::ranges::stable_sort(all, is_sent_before);
        EXPECT_EQ(packed.size(), all.size());
        expect_equal(unpacked(packed), all);
        packed.merge_runs();
        EXPECT_EQ(packed.size(), all.size());
        expect_equal(unpacked(packed), all);
    }
}

TEST_F(PackedMessagesTest, MessagesOfARankAreInTheOrderOfStreamsTimesAndOffsets) {
    SentMessages sent(3);
    std::vector<Message> all;
    for (int i = 0; i < 2000; ++i) {
        all.push_back(any_message());
        sent.add(all.back());
    }
    sent.sort();
    std::ranges::stable_sort(all, {}, [](const Message& of) {
        return std::tuple(of.send_stream, of.send_posted, of.send_offset);
    });
    EXPECT_EQ(sent.size(), all.size());
    expect_equal(sent.all(), all);
}

TEST(CallTimesTest, TimesAreThoseThatWereAdded) {
    constexpr size_t count = 300'000;
    constexpr int64_t long_time = int64_t{1} << 33;
    const auto call = [](size_t i) {
        const auto enter = static_cast<int64_t>(3 * i);
        const int64_t leave = i % 1000 == 7 ? enter + long_time : i % 1000 == 8 ? enter - 5 : enter + 2;
        return CallTime{enter, leave, static_cast<uint16_t>(i % 500), static_cast<uint32_t>(i * 7)};
    };
    CallTimes calls;
    for (size_t i = 0; i < count; ++i) calls.push_back(call(i));
    const CallTimes moved = std::move(calls);
    ASSERT_EQ(moved.size(), count);
    size_t equal = 0;
    for (size_t i = 0; i < count; ++i)
        equal += moved.enter(i) == call(i).enter && moved.leave(i) == call(i).leave &&
                 moved.function(i) == call(i).function && moved.request(i) == call(i).request;
    EXPECT_EQ(equal, count);
    EXPECT_EQ(moved.first_not([&](size_t i) { return moved.enter(i) < 3 * 200'000; }), 200'000u);
}

}  // namespace
}  // namespace ovni::test
