#include "trace/stream_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

class StreamReaderTest : public StreamTest {};

constexpr size_t header = 8, event_header = 12;

TEST_F(StreamReaderTest, DecodesTheEventsInFileOrder) {
    build().event("OHx", 1000, {0, -1, u64(0x55)}).jumbo("VYc", 1001, {u32(1), "hey"});
    build().event("OM[", 1002, {i64(3), 5}).event("OHe", 1003);
    EXPECT_EQ(read_all(), "8 1000 OHx 16\n36 1001 VYc 12\n60 1002 OM[ 12\n84 1003 OHe 0\n");
}

TEST_F(StreamReaderTest, BuildsTheBytesOfTheFormat) {
    build().event("OHx", 1000, {0, -1, u64(0x55)}).jumbo("VYc", 1001, {u32(1), "hey"});
    build().event("OM[", 1002, {i64(3), 5}).event("OHe", 1003);
    using namespace std::string_literals;
    EXPECT_EQ(build().bytes(),
              "ovni\x01\0\0\0\x0fOHx\xe8\x03\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\x55\0\0\0\0\0\0\0"
              "\x13VYc\xe9\x03\0\0\0\0\0\0\x08\0\0\0\x01\0\0\0hey\0"
              "\x0bOM[\xea\x03\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x05\0\0\0\0OHe\xeb\x03\0\0\0\0\0\0"s);
}

TEST_F(StreamReaderTest, PayloadsOfEverySizeAreRead) {
    std::string expected;
    uint64_t at = header;
    for (size_t size = 0; size <= 16; ++size) {
        if (size == 1) continue;
        build().event("OB.", 1, {raw(std::string(size, 'x'))});
        expected += fmt::format("{} 1 OB. {}\n", at, size);
        at += event_header + size;
    }
    EXPECT_EQ(read_all(), expected);
}

TEST_F(StreamReaderTest, AJumboEventMayBeEmpty) {
    build().jumbo("OB.", 1).event("OHe", 2);
    EXPECT_EQ(read_all(), "8 1 OB. 4\n24 2 OHe 0\n");
}

TEST_F(StreamReaderTest, AStreamWithoutEventsEndsAtOnce) {
    EXPECT_EQ(read_all(), "");
    EXPECT_EQ(reader().size(), 0u);
    EXPECT_EQ(reader().first_clock(), std::nullopt);
}

TEST_F(StreamReaderTest, CountsBytesOfEvents) {
    build().event("OB.", 1).event("OB.", 2);
    StreamReader events = reader();
    EXPECT_EQ(events.size(), 24u);
    ASSERT_TRUE(events.next());
    EXPECT_EQ(events.consumed(), 12u);
}

TEST_F(StreamReaderTest, AMissingFileIsAnError) {
    EXPECT_ERROR(StreamReader({.directory = directory() / "nowhere"}), "cannot open");
}

TEST_F(StreamReaderTest, ADirectoryAndAFifoAreNoStreams) {
    ASSERT_EQ(::mkfifo((directory() / "stream.obs").c_str(), 0600), 0);
    EXPECT_ERROR(StreamReader({.directory = directory()}), "not a regular file");
    std::filesystem::remove(directory() / "stream.obs");
    std::filesystem::create_directory(directory() / "stream.obs");
    EXPECT_ERROR(StreamReader({.directory = directory()}), "stream.obs");
}

TEST_F(StreamReaderTest, FilesWithoutAWholeHeaderAreErrors) {
    for (size_t size = 0; size < header; ++size) {
        build().cut_at(0).content(std::string("ovni\1\0\0\0", size));
        EXPECT_ERROR_AT(read_all(), 0);
    }
}

TEST_F(StreamReaderTest, AWrongMagicAndAWrongVersionAreErrors) {
    build().event("OB.", 1).set_byte(2, 'x');
    EXPECT_ERROR(read_all(), "6f 76 78 69");
    build().set_byte(2, 'n').set_byte(4, 9);
    EXPECT_ERROR(read_all(), "version 9");
    EXPECT_ERROR_AT(read_all(), 4);
}

TEST_F(StreamReaderTest, TruncatedPayloadNamesTheByteWhereItStarts) {
    build().event("OHx", 10, {1, 2}).truncate(3);
    EXPECT_ERROR_AT(read_all(), 8);
}

TEST_F(StreamReaderTest, EventsBeforeATruncatedOneAreHandedOut) {
    build().event("OB.", 1).event("OB.", 2).event("OHe", 3);
    const std::string whole = build().bytes();
    for (size_t cut = 1; cut < event_header; ++cut) {
        build().content(whole).truncate(cut);
        EXPECT_ERROR_AT(read_all(), 32);
        EXPECT_EQ(read_before(), "8 1 OB. 0\n20 2 OB. 0\n");
    }
}

TEST_F(StreamReaderTest, ATruncatedJumboEventIsAnErrorWhereItStarts) {
    build().event("OB.", 1).jumbo("VYc", 2, {u32(1), "hey"});
    const std::string whole = build().bytes();
    for (size_t cut = 1; cut < 24; ++cut) {
        build().content(whole).truncate(cut);
        EXPECT_ERROR_AT(read_all(), 20);
    }
}

TEST_F(StreamReaderTest, JumboSizesBeyondTheFileAreErrors) {
    for (uint32_t size : {0xffffffffu, 0xfffffff0u, 0xffffffe4u, 0x80000000u, 9u}) {
        build()
            .content("")
            .content(std::string("ovni\1\0\0\0", 8))
            .jumbo_of_size("VYc", 1, size, {u32(1), "hey"});
        EXPECT_ERROR_AT(read_all(), 8);
    }
}

TEST_F(StreamReaderTest, ClocksMayRepeatButNotDecrease) {
    build().event("OB.", 5).event("OB.", 5).event("OB.", 4).event("OB.", 9);
    EXPECT_ERROR_AT(read_all(), 32);
    EXPECT_EQ(read_before(), "8 5 OB. 0\n20 5 OB. 0\n");
    EXPECT_EQ(read_all(ClockOrder::any), "8 5 OB. 0\n20 5 OB. 0\n32 4 OB. 0\n44 9 OB. 0\n");
}

TEST_F(StreamReaderTest, AReaderStaysWhereItFailed) {
    build().event("OB.", 5).event("OB.", 4);
    StreamReader events = reader();
    ASSERT_TRUE(events.next());
    EXPECT_ERROR_AT(events.next(), 20);
    EXPECT_ERROR_AT(events.next(), 20);
}

TEST_F(StreamReaderTest, TheOffsetOfTheNodeIsAdded) {
    build().event("OB.", 1050);
    EXPECT_EQ(read_all(ClockOrder::checked, -50), "8 1000 OB. 0\n");
    EXPECT_EQ(reader(ClockOrder::checked, -50).first_clock(), 1000);
    StreamReader events = reader(ClockOrder::checked, -50);
    ASSERT_TRUE(events.next());
    EXPECT_EQ(events.event().raw_clock(), 1050);
}

TEST_F(StreamReaderTest, TheFirstClockMustNotBeNegative) {
    build().event("OB.", 49);
    EXPECT_ERROR_AT(read_all(ClockOrder::checked, -50), 8);
    EXPECT_EQ(read_all(ClockOrder::any, -50), "8 -1 OB. 0\n");
    build().content(std::string("ovni\1\0\0\0", 8)).event("OB.", -1);
    EXPECT_ERROR(read_all(), "below 0");
}

TEST_F(StreamReaderTest, ClocksBeyondTheRangeAreErrors) {
    build().event("OB.", INT64_MAX);
    EXPECT_EQ(read_all(), "8 9223372036854775807 OB. 0\n");
    EXPECT_ERROR(read_all(ClockOrder::checked, 1), "out of range");
}

TEST_F(StreamReaderTest, AStreamEndedByForceEndsWithACut) {
    build().event("OHx", 5).event("OB.", 7).write(directory());
    StreamReader events({.directory = directory(), .index = 3, .clock = 1, .ended_by_force = true});
    ASSERT_TRUE(events.next() && events.next() && events.next());
    EXPECT_EQ(events.event().kind, EventView::Kind::cut);
    EXPECT_EQ(events.event().clock, 8);
    EXPECT_EQ(events.event().stream, 3u);
    EXPECT_FALSE(events.next());
}

TEST_F(StreamReaderTest, AnEmptyStreamEndedByForceHasNothingToCut) {
    build().write(directory());
    StreamReader events({.directory = directory(), .ended_by_force = true});
    EXPECT_FALSE(events.next());
}

constexpr size_t small_block = 64;

TEST_F(StreamReaderTest, TheSizeOfABlockDoesNotShow) {
    for (int i = 0; i < 300; ++i) {
        if (i % 7 == 0)
            build().jumbo("VYc", i, {raw(std::string(static_cast<size_t>(i) * 3, 'x'))});
        else
            build().event("OB.", i, {raw(std::string(static_cast<size_t>(i % 5) * 4, 'x'))});
    }
    const std::string whole = read_all();
    for (size_t block : {small_block, size_t{100}, size_t{1000}}) {
        std::string text;
        StreamReader events({.directory = directory(), .block = block});
        EXPECT_EQ(events.first_clock(), 0);
        while (events.next()) {
            text += line_of(events.event());
            for (uint8_t byte : events.event().payload().subspan(events.event().jumbo() ? 4 : 0))
                ASSERT_EQ(byte, 'x');
        }
        EXPECT_EQ(text, whole);
    }
}

TEST_F(StreamReaderTest, AHeldEventStaysAndCanBeReturnedTo) {
    for (int i = 0; i < 1000; ++i) build().event("OB.", i, {i});
    build().write(directory());
    StreamReader events({.directory = directory(), .block = small_block});
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(events.next());
    StreamReader::Position here = events.position();
    events.hold();
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(events.next());
    EXPECT_EQ(events.held_bytes(), 501u * 16);
    events.seek(here);
    EXPECT_EQ(events.event().raw_clock(), 99);
    ASSERT_TRUE(events.next());
    EXPECT_EQ(events.event().raw_clock(), 100);
}

TEST_F(StreamReaderTest, TakeHandsOutWhatNextDoes) {
    for (int i = 0; i < 500; ++i) build().event("OB.", i / 2, {i}).jumbo("VYc", i / 2, {u32(1), "hey"});
    std::string expected = read_all(), taken;
    StreamReader events({.directory = directory(), .block = small_block});
    ASSERT_TRUE(events.next());
    auto taker = [&](int64_t clock, uint64_t offset, const uint8_t*) {
        taken += fmt::format("{} {}\n", offset, clock);
    };
    while (events.take(INT64_MAX, 9, UINT64_MAX, taker)) {
    }
    std::string lines;
    for (StreamReader all = reader(); all.next();)
        lines += fmt::format("{} {}\n", all.event().offset, all.event().clock);
    EXPECT_EQ(taken, lines);
}

TEST_F(StreamReaderTest, AFileThatBecomesShorterIsAnErrorInItsPlace) {
    for (int i = 0; i < 1000; ++i) build().event("OB.", i);
    build().write(directory());
    StreamReader events({.directory = directory(), .block = small_block});
    std::filesystem::resize_file(directory() / "stream.obs", 500);
    int count = 0;
    auto read = [&] {
        while (events.next()) ++count;
        return count;
    };
    EXPECT_ERROR_AT(read(), 500);
    EXPECT_GT(count, 30);
}

TEST_F(StreamReaderTest, BlocksAreSmallerWhereThereAreManyStreams) {
    EXPECT_EQ(block_for(0), largest_block);
    EXPECT_EQ(block_for(32), largest_block);
    EXPECT_EQ(block_for(1024), size_t{64} << 10);
    EXPECT_EQ(block_for(2048), size_t{32} << 10);
    EXPECT_EQ(block_for(4096), size_t{16} << 10);
    EXPECT_EQ(block_for(1'000'000), size_t{8} << 10);
}

}  // namespace

}  // namespace ovni::test
