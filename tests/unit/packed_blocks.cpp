// Blocks of packed streams: what is packed is unpacked again, and damage is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "packed/block.hpp"

namespace ovni::packed {

namespace {

using Bytes = std::vector<uint8_t>;

// Events of any form.
class RandomEvents {
 public:
    explicit RandomEvents(uint64_t seed) : random_(seed) {}

    Bytes events(size_t count, size_t heads) {
        std::vector<uint32_t> kinds;
        for (size_t i = 0; i < heads; ++i) kinds.push_back(static_cast<uint32_t>(random_()));
        const bool repeats = is(2);
        Bytes all;
        for (size_t i = 0; i < count; ++i) {
            // Every length of steps, also backwards.
            const uint64_t bits = random_() % 65, step = bits == 0 ? 0 : random_() >> (64 - bits);
            clock_ += is(20) ? -step : step;
            put(all, kinds[repeats ? i % heads : random_() % heads], i);
        }
        return all;
    }
    uint64_t next() { return random_(); }

 private:
    bool is(uint64_t of) { return random_() % of == 0; }
    template <class Number>
    static void put_number(Bytes& all, Number number) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
        all.insert(all.end(), bytes, bytes + sizeof number);
    }
    void put(Bytes& all, uint32_t head, size_t number) {
        put_number(all, head);
        put_number(all, clock_);
        const auto flags = static_cast<uint8_t>(head);
        if (ovni_format_is_jumbo(flags)) {
            const auto size = static_cast<uint32_t>(random_() % (is(50) ? 5000 : 40));
            put_number(all, size);
            for (uint32_t i = 0; i < size; ++i) all.push_back(is(3) ? static_cast<uint8_t>(random_()) : 0);
        } else {
            const bool is_random = is(4);
            for (unsigned i = 0; i < ovni_format_payload(flags); ++i)
                all.push_back(static_cast<uint8_t>(is_random ? random_() : i == 0 ? number : 0));
        }
    }

    std::mt19937_64 random_;
    uint64_t clock_ = 0;
};

class PackedBlocks : public testing::Test {
 protected:
    // All blocks of these events.
    std::vector<Bytes> packed(const Bytes& events, uint64_t offset = 8) {
        Bytes readable = events;
        readable.resize(events.size() + BlockPacker::slack);
        std::vector<Bytes> blocks;
        for (size_t at = 0; at < events.size();) {
            const BlockMaker::Made made =
                maker_.make(std::span(readable).subspan(at, events.size() - at), offset + at);
            EXPECT_GT(made.taken, 0u);
            if (made.taken == 0) break;
            blocks.emplace_back(made.block.begin(), made.block.end());
            at += made.taken;
        }
        return blocks;
    }
    // Empty if the block is damaged.
    Bytes unpacked(const Bytes& block) {
        const auto header = read_header(block);
        if (!header || size_of(*header) != block.size()) return {};
        Bytes readable = block, events(header->events_bytes + BlockUnpacker::slack);
        readable.resize(block.size() + BlockUnpacker::slack_of_columns);
        const std::span<const uint8_t> whole(readable.data(), block.size());
        if (!is_intact(*header, whole) ||
            !unpack(*header, whole, unpacker_, std::span(events).first(header->events_bytes)))
            return {};
        events.resize(header->events_bytes);
        return events;
    }
    Bytes unpacked(const std::vector<Bytes>& blocks) {
        Bytes all;
        for (const Bytes& block : blocks) {
            const Bytes events = unpacked(block);
            all.insert(all.end(), events.begin(), events.end());
        }
        return all;
    }

    BlockMaker maker_;
    BlockUnpacker unpacker_;
};

TEST_F(PackedBlocks, GiveTheirEventsBack) {
    RandomEvents random(1);
    for (int turn = 0; turn < 300; ++turn) {
        const size_t heads = 1 + random.next() % (turn % 10 == 0 ? 1500 : 12);
        const Bytes events = random.events(1 + random.next() % 3000, heads);
        ASSERT_TRUE(unpacked(packed(events)) == events) << "turn " << turn;
    }
}

TEST_F(PackedBlocks, SayWhatIsInThem) {
    Bytes events;
    for (uint64_t clock : {50, 20, 70}) {
        Bytes event(OVNI_FORMAT_EVENT_HEADER);
        std::memcpy(&event[OVNI_FORMAT_CLOCK_AT], &clock, sizeof clock);
        events.insert(events.end(), event.begin(), event.end());
    }
    const std::vector<Bytes> blocks = packed(events, 1008);
    ASSERT_EQ(blocks.size(), 1u);
    const auto header = read_header(blocks[0]);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->events, 3u);
    EXPECT_EQ(header->events_bytes, events.size());
    EXPECT_EQ(header->offset, 1008u);
    EXPECT_EQ(header->first_clock, 50u);
    EXPECT_EQ(header->least_clock, 20u);
    EXPECT_EQ(header->greatest_clock, 70u);
    EXPECT_EQ(blocks[0].size() % 8, 0u);
}

// A thousand events of a few kinds, as a program has them.
Bytes usual_events() {
    Bytes events;
    for (uint64_t i = 0; i < 1000; ++i) {
        uint8_t event[OVNI_FORMAT_EVENT_HEADER + 8] = {ovni_format_flags(8), 'M', 'S',
                                                       i % 2 == 0 ? uint8_t{'['} : uint8_t{']'}};
        const uint64_t clock = 1000 * i + i * i % 7;
        std::memcpy(&event[OVNI_FORMAT_CLOCK_AT], &clock, sizeof clock);
        std::memcpy(&event[OVNI_FORMAT_EVENT_HEADER], &i, sizeof i);
        events.insert(events.end(), event, event + sizeof event);
    }
    return events;
}

TEST_F(PackedBlocks, OfUsualEventsAreATenthAsLarge) {
    const Bytes events = usual_events();
    const std::vector<Bytes> blocks = packed(events);
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_LT(blocks[0].size(), events.size() / 10);
}

TEST_F(PackedBlocks, OfRandomBytesStandAsTheyAre) {
    std::mt19937_64 random(3);
    Bytes events;
    for (int i = 0; i < 1000; ++i) {
        Bytes event(OVNI_FORMAT_EVENT_MAX);
        for (uint8_t& byte : event) byte = static_cast<uint8_t>(random());
        event[0] = ovni_format_flags(OVNI_FORMAT_PAYLOAD_MAX);
        events.insert(events.end(), event.begin(), event.end());
    }
    const std::vector<Bytes> blocks = packed(events);
    EXPECT_TRUE(unpacked(blocks) == events);
    size_t size = 0;
    for (const Bytes& block : blocks) size += block.size() - OVNI_PACKED_BLOCK_HEADER;
    EXPECT_LE(size, events.size() + 8 * blocks.size());
}

TEST_F(PackedBlocks, TakeLargeEventsOneByOne) {
    Bytes events;
    for (const uint32_t size : {3u << 20, 5u, 2u << 20}) {
        Bytes event(OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE + size, 7);
        event[0] = OVNI_FORMAT_JUMBO;
        std::memcpy(&event[OVNI_FORMAT_EVENT_HEADER], &size, sizeof size);
        events.insert(events.end(), event.begin(), event.end());
    }
    const std::vector<Bytes> blocks = packed(events);
    EXPECT_EQ(blocks.size(), 3u);
    EXPECT_TRUE(unpacked(blocks) == events);
}

TEST_F(PackedBlocks, EndBeforeTheyHaveTooManyHeadsOrTokens) {
    Bytes events;
    for (uint32_t i = 0; i < 70'000; ++i) {
        Bytes event(OVNI_FORMAT_EVENT_HEADER + 4);
        event[0] = ovni_format_flags(4);
        const uint32_t payload = i * i * 2654435761u;
        std::memcpy(&event[OVNI_FORMAT_EVENT_HEADER], &payload, sizeof payload);
        events.insert(events.end(), event.begin(), event.end());
    }
    EXPECT_TRUE(unpacked(packed(events)) == events);
    for (uint32_t i = 0; i < 70'000; ++i) std::memcpy(&events[i * 16 + 1], &i, 3);
    EXPECT_TRUE(unpacked(packed(events)) == events);
}

TEST_F(PackedBlocks, AnyChangedByteIsFound) {
    const Bytes block = packed(usual_events())[0];
    ASSERT_FALSE(unpacked(block).empty());
    for (size_t at = 0; at < block.size(); ++at) {
        Bytes changed = block;
        changed[at] ^= 0x10;
        EXPECT_TRUE(unpacked(changed).empty()) << "byte " << at;
    }
}

// A reader survives a writer that is wrong: sanitizers look on.
TEST_F(PackedBlocks, WrongColumnsAreRefusedOrGiveSomething) {
    RandomEvents random(7);
    for (int turn = 0; turn < 2000; ++turn) {
        const std::vector<Bytes> blocks = packed(random.events(200, 1 + random.next() % 8));
        Bytes block = blocks[0];
        auto header = read_header(block);
        ASSERT_TRUE(header);
        for (int changes = 0; changes < 3; ++changes) {
            const size_t at =
                OVNI_PACKED_BLOCK_HEADER + random.next() % (block.size() - OVNI_PACKED_BLOCK_HEADER);
            block[at] ^= static_cast<uint8_t>(1u << random.next() % 8);
        }
        if (random.next() % 2 == 0) header->events = static_cast<uint32_t>(random.next() % 5000);
        if (random.next() % 4 == 0 && header->column1 != OVNI_PACKED_PLAIN)
            header->column1 = static_cast<uint32_t>(random.next() % (header->body - header->column2 + 1));
        Bytes events(header->events_bytes + BlockUnpacker::slack);
        block.resize(block.size() + BlockUnpacker::slack_of_columns);
        unpack(*header, block, unpacker_, std::span(events).first(header->events_bytes));
    }
}

TEST_F(PackedBlocks, NoHeaderIsTakenThatCannotBeOne) {
    const Bytes block = packed(usual_events())[0];
    EXPECT_TRUE(read_header(block));
    EXPECT_FALSE(read_header(std::span(block).first(OVNI_PACKED_BLOCK_HEADER - 1)));
    const auto with = [&](size_t at, uint32_t value) {
        Bytes changed = block;
        std::memcpy(&changed[at], &value, sizeof value);
        return read_header(changed).has_value();
    };
    EXPECT_FALSE(with(0, 1)) << "magic";
    EXPECT_FALSE(with(offsetof(ovni_packed_header, events_bytes), OVNI_PACKED_LARGEST_BLOCK + 1));
    EXPECT_FALSE(with(offsetof(ovni_packed_header, events), 0));
    EXPECT_FALSE(with(offsetof(ovni_packed_header, events), UINT32_MAX));
    EXPECT_FALSE(with(offsetof(ovni_packed_header, column1), UINT32_MAX - 1));
    EXPECT_FALSE(with(offsetof(ovni_packed_header, column2), UINT32_MAX));
    EXPECT_FALSE(with(offsetof(ovni_packed_header, zero), 1));
}

}  // namespace

}  // namespace ovni::packed
