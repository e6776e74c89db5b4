// Ends of messages come out as they were packed, whatever they say.
#include "messages/scan/packed_ends.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ovni::test {
namespace {

class PackedEndsTest : public ::testing::Test {
 protected:
    MessageEnd any_end() {
        MessageEnd end;
        end.order = number();
        end.left = number();
        end.posted = is_odd() ? end.order : number();
        end.wait_begin = is_odd() ? end.order : number();
        end.wait_end = is_odd() ? end.left : is_odd() ? MessageEnd::never : number();
        end.bytes = is_odd() ? MessageEnd::unknown_bytes : static_cast<uint64_t>(number());
        end.offset = static_cast<uint64_t>(number());
        end.stream = static_cast<uint32_t>(random_() % 3);
        end.completed_in = is_odd() ? end.stream : is_odd() ? MessageEnd::no_stream : 7;
        end.function = static_cast<uint16_t>(random_() % (1u << 14)) & 0x3fff;
        end.completed_by = static_cast<uint16_t>(is_odd() ? end.function : random_());
        end.unrecorded = is_odd();
        return end;
    }
    // Any size, both signs.
    int64_t number() {
        const auto bits = random_() % 64;
        const auto size = static_cast<int64_t>(random_() & ((uint64_t{1} << bits) - 1));
        return is_odd() ? size : -size;
    }
    bool is_odd() { return random_() % 2 != 0; }

    static std::vector<MessageEnd> unpacked(const PackedEnds& packed) {
        std::vector<MessageEnd> all;
        EndsReader reader(packed);
        for (MessageEnd end; reader.next(end);) all.push_back(end);
        return all;
    }
    static void expect_equal(const std::vector<MessageEnd>& found, const std::vector<MessageEnd>& expected) {
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(std::memcmp(&found[i], &expected[i], sizeof found[i]), 0) << "end " << i;
    }

    std::mt19937_64 random_{1};
};

TEST_F(PackedEndsTest, ComeOutAsTheyWere) {
    for (int round = 0; round < 300; ++round) {
        PackedEnds packed;
        std::vector<MessageEnd> all;
        for (auto left = random_() % 2000; left > 0; --left) {
            all.push_back(any_end());
            packed.add(all.back());
        }
        packed.doubt_from(0);
        for (MessageEnd& end : all) end.behind_gap = end.order >= 0;
        expect_equal(unpacked(packed), all);
        std::vector<uint8_t> bytes;
        packed.append_to(bytes);
        EXPECT_EQ(bytes.size(), packed.bytes());
        expect_equal(unpacked(PackedEnds(packed.facts(), bytes)), all);
    }
}

TEST_F(PackedEndsTest, EndsOfBlockingCallsAreSmall) {
    constexpr size_t ends = 10'000;
    PackedEnds packed;
    for (size_t i = 0; i < ends; ++i) {
        MessageEnd end;
        end.order = end.posted = end.wait_begin = static_cast<int64_t>(1'000'000'000 + 20'000 * i);
        end.left = end.wait_end = end.order + 700;
        end.bytes = 8;
        end.offset = 96 * i;
        end.completed_in = end.stream;
        packed.add(end);
    }
    EXPECT_LT(packed.bytes(), 12 * ends);
}

TEST_F(PackedEndsTest, KnowTheirOrderThreadsAndCompletion) {
    MessageEnd first, second;
    first.order = 10, second.order = 20;
    first.stream = second.stream = 4;
    first.wait_end = 15;
    PackedEnds sorted;
    sorted.add(first);
    sorted.add(second);
    EXPECT_TRUE(sorted.facts().is_sorted);
    EXPECT_EQ(sorted.facts().ends, 2u);
    EXPECT_EQ(sorted.facts().until_completed, 1u);
    EXPECT_EQ(sorted.facts().until_thread, UINT64_MAX);
    second.stream = 5;
    PackedEnds mixed;
    mixed.add(second);
    mixed.add(first);
    EXPECT_FALSE(mixed.facts().is_sorted);
    EXPECT_EQ(mixed.facts().until_completed, 2u);
    EXPECT_EQ(mixed.facts().until_thread, 1u);
}

}  // namespace
}  // namespace ovni::test
