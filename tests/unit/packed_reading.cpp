// Packed streams are read as the plain ones in them.
#include <fstream>
#include <random>

#include "tests/support/packed_file.hpp"
#include "tests/support/stream_test.hpp"
#include "trace/event_search.hpp"
#include "trace/stream_files.hpp"

namespace ovni::test {

namespace {

class PackedReading : public StreamTest {
 protected:
    PackedReading() {
        std::mt19937 random(1);
        for (int i = 0; i < 200; ++i) {
            const std::string text(random() % 300, 'x');
            build().event("OM[", 1000 + 20 * i, {i64(i), 5});
            if (i % 25 == 7) build().jumbo("VYc", 1005 + 20 * i, {u32(7), std::string_view(text)});
            build().event("OM]", 1010 + 20 * i, {i64(i), 5});
        }
        plain_ = build().bytes();
    }
    std::string path() const { return directory() / events_name; }
    void write(std::string_view bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
    // As read_all(), of the file that was written. `block`: bytes that are read at a time.
    std::string read(size_t block = largest_block, std::optional<uint64_t> until = {}) {
        read_.clear();
        StreamSource source;
        source.until = until;
        source.directory = directory();
        source.block = block;
        for (StreamReader events(std::move(source)); events.next();) read_ += line_of(events.event());
        return read_;
    }
    // The number of events that read() had read when it threw.
    size_t events_read() const { return static_cast<size_t>(std::ranges::count(read_, '\n')); }

    std::string plain_, read_;
};

TEST_F(PackedReading, EventsHaveTheOffsetsOfThePlainStream) {
    const std::string expected = read_all();
    for (const size_t in_a_block : {1, 100, 3000, 1 << 20})
        for (const size_t block : {size_t{64}, size_t{1000}, largest_block}) {
            write(packed_file(plain_, in_a_block).bytes);
            EXPECT_EQ(read(block), expected) << in_a_block << " bytes in a block, " << block << " at a time";
        }
    EXPECT_EQ(check_stream_file(path()), plain_.size());
}

TEST_F(PackedReading, AStreamWithoutEventsEndsAtOnce) {
    write(packed_file(plain_.substr(0, OVNI_FORMAT_STREAM_HEADER), 100).bytes);
    EXPECT_EQ(read(), "");
    EXPECT_EQ(check_stream_file(path()), size_t{OVNI_FORMAT_STREAM_HEADER});
}

TEST_F(PackedReading, EventsAreFoundByTheirBytes) {
    const auto is_any = [](std::span<const uint8_t>) { return true; };
    std::ofstream(path(), std::ios::binary) << plain_;
    const auto expected = search_event(path(), 256, 1000, {"VYc", "OHx", "OAs"}, is_any);
    write(packed_file(plain_, 500).bytes);
    EXPECT_TRUE(expected);
    EXPECT_EQ(search_event(path(), 256, 1000, {"VYc", "OHx", "OAs"}, is_any), expected);
}

// Whatever byte the file ends at: the events of whole blocks are read, then it is said what is lost.
TEST_F(PackedReading, ACutFileHasTheEventsOfItsWholeBlocks) {
    const PackedFile file = packed_file(plain_, 2000);
    ASSERT_GT(file.blocks.size(), 4u);
    size_t whole = 0, events = 0;
    for (size_t size = OVNI_FORMAT_STREAM_HEADER; size <= file.bytes.size(); ++size) {
        write(std::string_view(file.bytes).substr(0, size));
        while (whole < file.blocks.size() &&
               size >= (whole + 1 < file.blocks.size() ? file.blocks[whole + 1].at : file.bytes.size()))
            events += file.blocks[whole++].events;
        const bool ends_with_a_block = whole == file.blocks.size() || size == file.blocks[whole].at;
        if (ends_with_a_block) {
            read();
        } else {
            EXPECT_ERROR_AT(read(), file.blocks[whole].offset);
            EXPECT_ERROR(read(), "the last block is cut");
        }
        ASSERT_EQ(events_read(), events) << size << " bytes";
    }
}

// A program that is running adds blocks to the file.
TEST_F(PackedReading, AGrowingFileEndsWithItsLastWholeBlock) {
    const PackedFile file = packed_file(plain_, 2000);
    const size_t in_the_third = file.blocks[2].at + OVNI_PACKED_BLOCK_HEADER + 5;
    write(std::string_view(file.bytes).substr(0, in_the_third));
    const uint64_t until = check_stream_file(path());
    EXPECT_EQ(until, file.blocks[2].offset);
    for (const size_t now : {in_the_third, file.blocks[4].at + 3, file.bytes.size()}) {
        write(std::string_view(file.bytes).substr(0, now));
        read(1000, until);
        EXPECT_EQ(events_read(), file.blocks[0].events + file.blocks[1].events) << now;
    }
    // Damage is no end.
    std::string damaged = file.bytes;
    damaged[file.blocks[1].at + OVNI_PACKED_BLOCK_HEADER] ^= 1;
    write(damaged);
    EXPECT_ERROR_AT(read(1000, until), file.blocks[1].offset);
}

TEST_F(PackedReading, EventsBeforeADamagedBlockAreRead) {
    const PackedFile file = packed_file(plain_, 2000);
    std::mt19937 random(2);
    size_t before = 0;
    for (size_t b = 0; b < file.blocks.size(); ++b) {
        const size_t end = b + 1 < file.blocks.size() ? file.blocks[b + 1].at : file.bytes.size();
        for (int turn = 0; turn < 20; ++turn) {
            std::string bytes = file.bytes;
            const size_t begin = file.blocks[b].at + OVNI_PACKED_BLOCK_HEADER;
            bytes[begin + random() % (end - begin)] ^= 1;
            write(bytes);
            EXPECT_ERROR_AT(read(turn % 2 == 0 ? 64 : largest_block), file.blocks[b].offset);
            EXPECT_ERROR(read(), "is damaged: its checksum differs");
            EXPECT_EQ(events_read(), before);
        }
        before += file.blocks[b].events;
    }
}

TEST_F(PackedReading, WhatIsNoBlockIsNamed) {
    const PackedFile file = packed_file(plain_, 2000);
    std::string bytes = file.bytes;
    bytes[file.blocks[2].at] = 'x';
    write(bytes);
    EXPECT_ERROR(read(),
                 fmt::format("no block of a packed stream begins at byte {} of the file", file.blocks[2].at));
    EXPECT_EQ(events_read(), file.blocks[0].events + file.blocks[1].events);
    // A block of another place is none here.
    bytes = file.bytes;
    bytes.erase(file.blocks[1].at, file.blocks[2].at - file.blocks[1].at);
    write(bytes);
    EXPECT_ERROR_AT(read(), file.blocks[1].offset);
}

TEST_F(PackedReading, OtherVersionsAreRefused) {
    std::string bytes = packed_file(plain_, 2000).bytes;
    bytes[4] = 3;
    write(bytes);
    EXPECT_ERROR(read(), "the stream has format version 3, this program reads 1 and 2");
}

}  // namespace

}  // namespace ovni::test
