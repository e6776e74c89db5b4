// The shared buffer, one step at a time.
#include "ring/shared_buffer.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cerrno>
#include <csetjmp>

#include "tests/unit/shared_buffer_test.hpp"

namespace ovni::test {
namespace {

using ::testing::ElementsAre;

bool nobody_lives(uint32_t, uint32_t, uint64_t) noexcept {
    return false;
}
bool all_live(uint32_t, uint32_t, uint64_t) noexcept {
    return true;
}
// In these tests the process ids of the dead are odd.
bool even_live(uint32_t pid, uint32_t, uint64_t) noexcept {
    return pid % 2 == 0;
}

class StepwiseTest : public SharedBufferTest {
 protected:
    void begin(writer::SharedOptions options = {.capacity = 1024, .seats = 4},
               writer::SharedReader::Lives lives = all_live) {
        make(options);
        ASSERT_TRUE(reader_.open(buffer_, lives));
    }
    // A thread that claims, reserves and goes no further.
    void claim(uint32_t pid, uint64_t at, uint64_t space) {
        for (writer::SharedSeat& seat : buffer_.seats()) {
            if (seat.owner.load() != 0) continue;
            seat.owner.store(uint64_t{pid} << 32 | pid);
            seat.claims[0].store(writer::Claim{at, space}.packed());
            return;
        }
        FAIL() << "no seat";
    }
    uint64_t reserve(uint64_t space) { return header().reserved.fetch_add(space); }
    void reserve_and_die(uint32_t pid, uint64_t space) { claim(pid, reserve(space), space); }
    std::vector<uint64_t> clocks() {
        std::vector<uint64_t> clocks;
        // The second call looks again at what held up the first.
        for (int i = 0; i < 2; ++i)
            reader_.read([&](const writer::SharedRecord& record) { clocks.push_back(record.clock); });
        reader_.release();
        return clocks;
    }

    writer::SharedReader reader_;
    writer::SharedProducer producer_;
};

TEST_F(StepwiseTest, RecordsComeAsTheyWereWritten) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 12, 34));
    EXPECT_TRUE(producer_.write("OB.", 100));
    EXPECT_TRUE(producer_.write("MUf", 101, uint8_t{1}, int32_t{-2}));
    std::array<uint8_t, 3> payload{7, 8, 9};
    EXPECT_TRUE(producer_.write_payload("abc", 102, payload));
    EXPECT_TRUE(producer_.write_jumbo("VYc", 103, payload));
    std::vector<std::string> codes;
    std::vector<std::vector<uint8_t>> payloads;
    reader_.read([&](const writer::SharedRecord& record) {
        codes.emplace_back(record.code.text().data());
        payloads.emplace_back(record.payload.begin(), record.payload.end());
        EXPECT_EQ(record.clock, 99 + codes.size());
        EXPECT_EQ(record.pid, 12u);
        EXPECT_EQ(record.tid, 34u);
        EXPECT_EQ(record.is_jumbo, codes.back() == "VYc");
    });
    EXPECT_THAT(codes, ElementsAre("OB.", "MUf", "abc", "VYc"));
    EXPECT_THAT(payloads, ElementsAre(ElementsAre(), ElementsAre(1, 0xfe, 0xff, 0xff, 0xff),
                                      ElementsAre(7, 8, 9), ElementsAre(7, 8, 9)));
    EXPECT_TRUE(reader_.is_drained());
}

TEST_F(StepwiseTest, BecomesTheBytesOfAnEvent) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    producer_.write("OB.", 0x0102);
    producer_.write("OU[", 1, uint16_t{0x0605});
    std::array<uint8_t, 3> data{7, 8, 9};
    producer_.write_jumbo("VYc", 2, data);
    std::vector<uint8_t> stream;
    reader_.read([&](const writer::SharedRecord& record) { append_event(record, stream); });
    EXPECT_THAT(stream, ElementsAre(0, 'O', 'B', '.', 2, 1, 0, 0, 0, 0, 0, 0,        //
                                    1, 'O', 'U', '[', 1, 0, 0, 0, 0, 0, 0, 0, 5, 6,  //
                                    0x13, 'V', 'Y', 'c', 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9));
}

TEST_F(StepwiseTest, LapsOfAllSizesWrapAnywhere) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    Arrivals arrivals;
    uint64_t number = 0;
    for (; number < 3000; ++number) {
        auto words = numbered_words(number, 8 * (1 + number % 27));
        ASSERT_TRUE(producer_.write_jumbo("VYc", number, bytes_of(words)));
        reader_.read(arrivals);
        reader_.release();
    }
    EXPECT_EQ(arrivals.count(), number);
    EXPECT_EQ(arrivals.torn() + arrivals.out_of_order(), 0u);
    EXPECT_EQ(arrivals.space(), header().reserved.load());
}

TEST_F(StepwiseTest, TooLargeOrOddIsRefused) {
    begin({.capacity = 1024, .on_full = writer::SharedOnFull::discard});
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    std::vector<uint8_t> data(256 - writer::record_header_bytes);
    EXPECT_TRUE(producer_.write_jumbo("VYc", 1, data));
    data.push_back(0);
    EXPECT_FALSE(producer_.write_jumbo("VYc", 1, data));
    EXPECT_FALSE(producer_.write_payload("abc", 1, std::array<uint8_t, 1>{}));
    EXPECT_FALSE(producer_.write_payload("abc", 1, std::array<uint8_t, 17>{}));
    EXPECT_EQ(header().discarded.load(), 3u);
}

TEST_F(StepwiseTest, DiscardingIsCountedInTheNextRecord) {
    begin({.capacity = 512, .on_full = writer::SharedOnFull::discard});
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    size_t written = 0;
    while (producer_.write("OB.", written, Numbered(written))) ++written;
    EXPECT_EQ(written, 512u / 48);
    errno = 7;
    EXPECT_FALSE(producer_.write("OB.", 0, Numbered(0)));
    EXPECT_EQ(errno, 7);
    EXPECT_EQ(header().discarded.load(), 2u);
    EXPECT_EQ(clocks().size(), written);
    EXPECT_TRUE(producer_.write("OB.", 0));
    reader_.read([](const writer::SharedRecord& record) { EXPECT_EQ(record.lost_before, 2u); });
}

// A record that wakes the reader, whose handler writes records of its own and jumps out of the second.
struct Interruption {
    writer::SharedProducer* producer;
    int wakes;
    jmp_buf way_out;
};
constinit Interruption* interruption = nullptr;

void write_and_jump() noexcept {
    if (interruption == nullptr) return;
    if (++interruption->wakes == 2) longjmp(interruption->way_out, 1);
    interruption->producer->write_jumbo("OB.", 0, std::array<uint8_t, 512>{});
    interruption->producer->write("OB.", 0, Numbered(0));
}

TEST_F(StepwiseTest, RecordsThatAreLeftAreCountedWithWhatTheyWereToTell) {
    begin({.capacity = 512, .seats = 2, .on_full = writer::SharedOnFull::discard});
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    producer_.sign(7, write_and_jump);
    while (producer_.write("OB.", 0, Numbered(0))) {
    }
    EXPECT_FALSE(producer_.write("OB.", 0, Numbered(0)));
    reader_.read([](const writer::SharedRecord&) {}, 3);
    reader_.release();
    Interruption leaves{&producer_, 0, {}};
    interruption = &leaves;
    if (setjmp(leaves.way_out) == 0) producer_.write("OB.", 0, Numbered(0));
    interruption = nullptr;
    EXPECT_EQ(leaves.wakes, 2);
    producer_.leave_write();
    EXPECT_TRUE(producer_.write("OB.", 1));
    uint64_t lost = 0;
    reader_.read([&](const writer::SharedRecord& record) { lost += record.lost_before; });
    EXPECT_EQ(lost, 5u) << "two without room, one that is too large, and two that were left";
}

TEST_F(StepwiseTest, PatienceWithAReaderThatDoesNothingEnds) {
    begin({.capacity = 512, .patience_ms = 20});
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    while (producer_.write("OB.", 0, Numbered(0))) {
    }
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(producer_.write("OB.", 0, Numbered(0)));
    EXPECT_EQ(header().discarded.load(), 1001u);
    clocks();
    EXPECT_TRUE(producer_.write("OB.", 0, Numbered(0)));
}

TEST_F(StepwiseTest, ALivingThreadHoldsUpWhatFollows) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    producer_.write("OB.", 1);
    reserve_and_die(2, 48);
    producer_.write("OB.", 2);
    EXPECT_THAT(clocks(), ElementsAre(1));
    EXPECT_THAT(clocks(), ElementsAre());
    EXPECT_FALSE(reader_.is_drained());
}

TEST_F(StepwiseTest, TheSpaceOfTheDeadIsPassedAndCounted) {
    begin({.capacity = 1024, .seats = 4}, nobody_lives);
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    producer_.write("OB.", 1);
    reserve_and_die(3, 48);
    buffer_.word_at(32 + 8).store(~uint64_t{0});
    reserve_and_die(5, 56);
    producer_.write("OB.", 2);
    EXPECT_THAT(clocks(), ElementsAre(1));
    EXPECT_THAT(clocks(), ElementsAre(2));
    EXPECT_TRUE(reader_.is_drained());
    EXPECT_EQ(header().lost_records.load(), 2u);
    EXPECT_EQ(header().lost_bytes.load(), 104u);
    for (uint64_t at = 0; at < 1024; at += 8) ASSERT_EQ(buffer_.word_at(at).load(), 0u) << at;
}

TEST_F(StepwiseTest, TheClaimOfTheDeadThatHasTheSpaceIsFound) {
    for (uint64_t space : {48, 64, 80}) {
        writer::SharedBuffer fresh;
        std::vector<std::byte> memory(writer::SharedBuffer::memory_needed({.capacity = 1024, .seats = 4}) +
                                      128);
        size_t skip = -reinterpret_cast<uintptr_t>(memory.data()) % 128;
        ASSERT_TRUE(fresh.format(std::span(memory).subspan(skip), {.capacity = 1024, .seats = 4}));
        buffer_ = fresh;
        ASSERT_TRUE(reader_.open(buffer_, nobody_lives));
        for (uint64_t claimed : {48, 64, 80}) claim(3, 0, claimed);
        reserve(space);
        ASSERT_TRUE(producer_.open(buffer_, 1, 1));
        producer_.write("OB.", 1);
        EXPECT_THAT(clocks(), ElementsAre(1)) << space;
        EXPECT_EQ(header().lost_bytes.load(), space);
    }
}

TEST_F(StepwiseTest, ADeadThreadsClaimToAnothersRecordIsNothing) {
    begin({.capacity = 1024, .seats = 4}, even_live);
    claim(3, 0, 48);  // it came too late
    ASSERT_TRUE(producer_.open(buffer_, 2, 2));
    producer_.write("OB.", 1);
    EXPECT_THAT(clocks(), ElementsAre(1));
    EXPECT_EQ(header().lost_records.load(), 0u);
}

TEST_F(StepwiseTest, DamageIsCountedAndPassed) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    for (uint64_t clock = 1; clock <= 4; ++clock) producer_.write("OB.", clock, Numbered(clock));
    buffer_.word_at(48 + 40).fetch_xor(1);          // in a payload
    buffer_.word_at(96).store(0xffffffffffffffff);  // a commit word
    EXPECT_THAT(clocks(), ElementsAre(1, 4));
    EXPECT_EQ(header().damaged_bytes.load(), 96u);
}

TEST_F(StepwiseTest, DamageAtTheEndIsPassedWhenNobodyLives) {
    begin({.capacity = 1024, .seats = 4}, nobody_lives);
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    producer_.write("OB.", 1, Numbered(1));
    buffer_.word_at(24).fetch_xor(uint64_t{1} << 40);
    EXPECT_THAT(clocks(), ElementsAre());
    EXPECT_TRUE(reader_.is_drained());
    EXPECT_EQ(header().damaged_bytes.load(), 48u);
}

TEST_F(StepwiseTest, AnotherReaderTakesOverFromWhatWasReleased) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    for (uint64_t clock = 1; clock <= 3; ++clock) producer_.write("OB.", clock);
    reader_.read([](const writer::SharedRecord&) {}, 1);
    reader_.release();
    reader_.read([](const writer::SharedRecord&) {}, 1);
    ASSERT_TRUE(reader_.open(buffer_, all_live));
    EXPECT_THAT(clocks(), ElementsAre(2, 3));
}

TEST_F(StepwiseTest, AnotherReaderClearsWhatTheOneBeforeHadBegunTo) {
    begin();
    ASSERT_TRUE(producer_.open(buffer_, 1, 1));
    producer_.write("OB.", 1);
    header().beg_read.store(32);
    buffer_.word_at(0).store(0);
    ASSERT_TRUE(reader_.open(buffer_, all_live));
    EXPECT_EQ(header().freed.load(), 32u);
    EXPECT_EQ(buffer_.word_at(8).load(), 0u);
}

TEST_F(StepwiseTest, SeatsOfTheDeadAreTakenBack) {
    begin({.capacity = 1024, .seats = 2}, even_live);
    writer::SharedProducer dead, leaving, late;
    ASSERT_TRUE(dead.open(buffer_, 3, 3));
    ASSERT_TRUE(leaving.open(buffer_, 2, 2));
    EXPECT_FALSE(late.open(buffer_, 4, 4));
    EXPECT_FALSE(late.write("OB.", 1));
    EXPECT_EQ(header().discarded.load(), 1u);
    clocks();
    EXPECT_TRUE(late.write("OB.", 2));
    leaving.close();
    EXPECT_FALSE(leaving.write("OB.", 3));
    EXPECT_TRUE(producer_.open(buffer_, 4, 5));
}

TEST_F(StepwiseTest, WhatIsNoBufferIsNotAttachedTo) {
    begin();
    writer::SharedBuffer other;
    std::span<std::byte> again = map();
    EXPECT_TRUE(other.attach(again));
    EXPECT_FALSE(other.attach(again.first(again.size() - 1)));
    EXPECT_FALSE(other.attach(again.first(16)));
    other.attach(again);
    other.header().version = 2;
    EXPECT_FALSE(other.attach(again));
    unmap(again);
    EXPECT_FALSE(other.format(memory_, {.capacity = 4096}));
}

TEST_F(StepwiseTest, ChecksumsTellEveryBitAndThePosition) {
    auto checksum = [](uint64_t first, uint64_t second, uint64_t position) {
        writer::RecordChecksum sum(48);
        sum.add(first);
        sum.add(second);
        return sum.at(position);
    };
    uint32_t right = checksum(1, 2, 800);
    for (int bit = 0; bit < 64; ++bit) {
        uint64_t flip = uint64_t{1} << bit;
        EXPECT_NE(checksum(1 ^ flip, 2, 800), right) << bit;
        EXPECT_NE(checksum(1, 2 ^ flip, 800), right) << bit;
        EXPECT_NE(checksum(1, 2, 800 ^ flip), right) << bit;
    }
    EXPECT_NE(checksum(2, 1, 800), right);
}

}  // namespace
}  // namespace ovni::test
