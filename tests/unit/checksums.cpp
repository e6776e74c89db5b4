#include "trace/checksums.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <utility>

#include "base/file.hpp"
#include "core/stream_crc.hpp"
#include "tests/support/stream_test.hpp"
#include "trace/region_sort.hpp"

namespace ovni::test {

namespace {

using ::testing::HasSubstr;

constexpr size_t stream_header = OVNI_FORMAT_STREAM_HEADER, event_size = 20;

class ChecksumTest : public StreamTest {
 protected:
    // Events of 20 bytes with clocks 1000, 1010, ...
    StreamBuilder& events(int count) {
        for (int i = 0; i < count; ++i) build().event("OB.", 1000 + 10 * i, {i64(0)});
        return build();
    }
    // How many events read_all() hands out before it throws an Error, and that.
    std::pair<size_t, std::string> damage(size_t block = largest_block) {
        std::string what;
        size_t count = 0;
        build().write(directory());
        StreamReader events({.directory = directory(), .block = block});
        try {
            while (events.next()) ++count;
        } catch (const Error& e) {
            what = e.what();
        }
        return {count, what.substr(what.rfind('/') + 1)};
    }
    void make_newer() const {
        namespace fs = std::filesystem;
        auto time = fs::last_write_time(directory() / stream_crc_name);
        fs::last_write_time(directory() / "stream.obs", time + std::chrono::milliseconds(1));
    }
    // The record of a block, with changes.
    void set_record(size_t number, const StreamCrcRecord& record) {
        std::string text = build().checksums_text();
        std::memcpy(text.data() + sizeof stream_crc_magic + number * sizeof record, &record, sizeof record);
        build().checksums_text(text);
    }
    static std::string warnings() { return ::testing::internal::GetCapturedStderr(); }
};

TEST_F(ChecksumTest, GoodBlocksOfAnySizePass) {
    events(5000);
    for (size_t block : {1, 7, 20, 4096, 8192, 65536, 99999, 1 << 20}) {
        build().checksums(block);
        EXPECT_EQ(damage(), std::pair(size_t{5000}, std::string())) << block;
        EXPECT_EQ(damage(OVNI_FORMAT_EVENT_MAX), std::pair(size_t{5000}, std::string())) << block;
    }
}

// In the first, a middle and the last block, at their first, a middle and their last byte. Where the reader
// finds it does not depend on the bytes that it reads at a time.
TEST_F(ChecksumTest, AMismatchIsToldAtTheEndOfItsBlock) {
    constexpr size_t count = 400, per_block = 40, block = per_block * event_size;
    events(count).checksums(block);
    for (size_t number : {size_t{0}, size_t{5}, count / per_block - 1})
        // Into payloads, which the reader does not look at.
        for (size_t at : {event_size - 1, 20 * event_size + 13, block - 1}) {
            build().flip(stream_header + number * block + at, 1);
            std::string where =
                fmt::format("stream.obs:{}: the {} bytes", stream_header + number * block, block);
            for (size_t window : {size_t{32}, size_t{900}, largest_block}) {
                auto [handed_out, what] = damage(window);
                EXPECT_EQ(handed_out, (number + 1) * per_block);
                EXPECT_THAT(what, HasSubstr(where));
            }
            build().flip(stream_header + number * block + at, 1);
        }
}

TEST_F(ChecksumTest, TheFirstMismatchCounts) {
    events(10)
        .checksums(2 * event_size)
        .flip(stream_header + 3 * event_size - 1)
        .flip(stream_header + 7 * event_size - 1);
    EXPECT_THAT(damage().second, HasSubstr(fmt::format("stream.obs:{}:", stream_header + 2 * event_size)));
}

TEST_F(ChecksumTest, BlocksNeedNotEndWhereEventsDo) {
    events(10).checksums(33).flip(stream_header + 40 + 15);
    auto [handed_out, what] = damage();
    EXPECT_EQ(handed_out, 4u);  // the last begins before byte 66
    EXPECT_THAT(what, HasSubstr("stream.obs:41: the 33 bytes"));
}

TEST_F(ChecksumTest, AMismatchExplainsWrongEvents) {
    events(10).checksums(5 * event_size).flip(stream_header + event_size + OVNI_FORMAT_CLOCK_AT + 7, 0x40);
    EXPECT_THAT(damage().second, HasSubstr("stream.obs:8: the 100 bytes from here on have the checksum"));
    build().flip(stream_header + event_size + OVNI_FORMAT_CLOCK_AT + 7, 0x40).event("OB.", 5);
    EXPECT_THAT(damage().second, HasSubstr("stream.obs:208: the clock goes back"));
}

TEST_F(ChecksumTest, BehindTheLastBlockNothingIsCompared) {
    events(10).checksums(1000).event("OB.", 2000);
    EXPECT_EQ(damage(), std::pair(size_t{11}, std::string()));
    std::string text = build().checksums_text();
    for (size_t size = 1; size <= text.size(); ++size) {
        build().checksums_text(text.substr(0, size));
        EXPECT_EQ(damage(), std::pair(size_t{11}, std::string())) << size;
    }
    build().checksums_text(text + "torn record");
    EXPECT_EQ(damage(), std::pair(size_t{11}, std::string()));
}

TEST_F(ChecksumTest, AStreamWithoutEventsPasses) {
    build().checksums(100);
    EXPECT_EQ(damage(), std::pair(size_t{0}, std::string()));
}

TEST_F(ChecksumTest, SomethingElseIsAnError) {
    events(2).checksums_text("ovnicrc2");
    EXPECT_ERROR_AT(read_all(), 0);
    EXPECT_ERROR(read_all(), "stream.crc:0: not checksums");
    build().checksums_text("x");
    EXPECT_ERROR(read_all(), "stream.crc:0: not checksums");
    std::filesystem::remove(directory() / stream_crc_name);
    std::filesystem::create_directory(directory() / stream_crc_name);
    build().checksums_text("");
    EXPECT_ERROR(read_all(), "stream.crc: not a regular file");
}

// The events before the block are handed out.
TEST_F(ChecksumTest, DamagedRecordsAreErrors) {
    events(10).checksums(4 * event_size);
    const std::string good = build().checksums_text();
    auto damage_with = [&](size_t number, const StreamCrcRecord& record) {
        build().checksums_text(good);
        set_record(number, record);
        return damage();
    };
    EXPECT_EQ(
        damage_with(1, {.end = 88}),
        std::pair(size_t{4},
                  std::string("stream.crc:24: a block ends at byte 88, where the one before ends at 88")));
    EXPECT_EQ(damage_with(0, {.end = 3}),
              std::pair(size_t{0},
                        std::string("stream.crc:8: a block ends at byte 3, where the one before ends at 8")));
    EXPECT_EQ(
        damage_with(2, {.end = 209}),
        std::pair(size_t{10}, std::string("stream.crc:40: a block ends at byte 209 of stream.obs, which has "
                                          "208 bytes: it was cut, or another program has written it "
                                          "(then remove stream.crc)")));
    EXPECT_EQ(
        damage_with(2, {.end = 208, .reserved = 1}),
        std::pair(size_t{8}, std::string("stream.crc:40: the last 4 bytes of the record are not zero")));
    EXPECT_THAT(damage_with(2, {.end = 207}).second, HasSubstr("stream.obs:168: the 39 bytes from here on"));
}

// The rest of a stream that was cut could look whole.
TEST_F(ChecksumTest, AStreamCutBetweenEventsIsAnError) {
    events(10).checksums(4 * event_size).truncate(event_size);
    EXPECT_EQ(damage().first, 9u);
    EXPECT_THAT(damage().second, HasSubstr("stream.crc:40: a block ends at byte 208"));
    make_newer();
    EXPECT_THAT(damage().second, HasSubstr("stream.crc:40: a block ends at byte 208"));
}

TEST_F(ChecksumTest, ManyRecordsAreReadInPieces) {
    events(2000).checksums(20).flip(stream_header + 1990 * event_size + 15);
    EXPECT_EQ(damage().first, 1991u);
    EXPECT_THAT(damage().second,
                HasSubstr(fmt::format("stream.obs:{}: the 20 bytes", stream_header + 1990 * event_size)));
}

TEST_F(ChecksumTest, TheRecordedSizeIsThatOfTheLastOfManyRecords) {
    size_t all = 0;
    for (int more : {1, 254, 1, 44, 1700}) {
        all += static_cast<size_t>(more);
        events(more).checksums(event_size).write(directory());
        EXPECT_EQ(recorded_size(directory()), stream_header + all * event_size) << all;
    }
}

TEST_F(ChecksumTest, AStreamThatIsNewerIsReadWithOneWarning) {
    events(10)
        .checksums(2 * event_size)
        .flip(stream_header + 3 * event_size - 1)
        .flip(stream_header + 7 * event_size - 1);
    build().write(directory());
    make_newer();
    auto count = [&](Checksums checksums) {
        StreamReader reader({.directory = directory(), .checksums = checksums});
        size_t events = 0;
        while (reader.next()) ++events;
        return events;
    };
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(count(Checksums::compared), 10u);
    std::string said = warnings();
    EXPECT_THAT(said, HasSubstr("stream.obs: differs from its checksums in stream.crc, which is older"));
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(count(Checksums::compared_quietly), 10u);
    EXPECT_EQ(warnings(), "");
}

TEST_F(ChecksumTest, AStreamThatIsNewerAndRightNeedsNoWarning) {
    events(10).checksums(50).write(directory());
    make_newer();
    ::testing::internal::CaptureStderr();
    StreamReader reader({.directory = directory()});
    while (reader.next()) continue;
    EXPECT_EQ(warnings(), "");
}

class SortedChecksumTest : public ChecksumTest {
 protected:
    void SetUp() override {
        build().event("OHx", 10).event("OB.", 20).event("OB.", 30);
        build().event("OU[", 40).event("6C[", 22).event("6C]", 25).event("OU]", 41).event("OHe", 50);
    }
    std::string obs() const { return read_file(directory() / "stream.obs"); }
    std::string crc() const { return read_file(directory() / stream_crc_name); }
    void read_quietly() {
        ::testing::internal::CaptureStderr();
        StreamReader reader({.directory = directory()});
        while (reader.next()) continue;
        EXPECT_EQ(warnings(), "");
    }
};

TEST_F(SortedChecksumTest, SortingRenewsChecksums) {
    build().checksums(16).write(directory());
    sort_regions(directory());
    read_quietly();
    EXPECT_NE(obs(), build().bytes());
    EXPECT_EQ(crc(), StreamBuilder({}).content(obs()).checksums(1 << 20).checksums_text());
    for (const auto& entry : std::filesystem::directory_iterator(directory()))
        EXPECT_EQ(entry.path().filename().string().find("tmp"), std::string::npos) << entry.path();
}

TEST_F(SortedChecksumTest, SortingMakesNoChecksumsWhereThereAreNone) {
    build().write(directory());
    sort_regions(directory());
    EXPECT_FALSE(std::filesystem::exists(directory() / stream_crc_name));
}

TEST_F(SortedChecksumTest, LongStreamsGetABlockPerMebibyte) {
    for (int i = 0; i < 120000; ++i) build().event("OB.", 100 + i, {i64(i)});
    build().checksums(5000).write(directory());
    sort_regions(directory());
    read_quietly();
    EXPECT_EQ(crc(), StreamBuilder({}).content(obs()).checksums(1 << 20).checksums_text());
}

TEST_F(SortedChecksumTest, AStreamInOrderKeepsItsChecksums) {
    build().content(build().bytes().substr(0, stream_header + 3 * OVNI_FORMAT_EVENT_HEADER)).checksums(16);
    build().write(directory());
    sort_regions(directory());
    EXPECT_EQ(crc(), build().checksums_text());
}

// Otherwise new checksums would hide the damage.
TEST_F(SortedChecksumTest, DamagedStreamsAreNotSorted) {
    build().event("OB.", 60, {i64(1)}).checksums(1000).flip(build().bytes().size() - 1).write(directory());
    EXPECT_ERROR_AT(sort_regions(directory()), stream_header);
    EXPECT_EQ(obs(), build().bytes());
    EXPECT_EQ(crc(), build().checksums_text());
}

TEST_F(SortedChecksumTest, ChecksumsAreThoseOfTheUnsortedFile) {
    build().checksums(16).write(directory());
    StreamSource source{.directory = directory()};
    source.sort = plan_regions(directory(), largest_block);
    StreamReader reader(std::move(source));
    size_t count = 0;
    while (reader.next()) ++count;
    EXPECT_EQ(count, 8u);
}

}  // namespace

}  // namespace ovni::test
