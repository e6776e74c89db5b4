// From a shared buffer into rings, also by one drainer after another.
#include "drain/mover.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/file.hpp"
#include "ovni/format.h"
#include "ring/event.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {
namespace {

constexpr uint32_t generation = 1;

class MoverTest : public testing::Test, private writer::Mover::Rings {
 protected:
    void SetUp() override {
        for (uint32_t number : {0u, 1u}) {
            writer::Ring ring = writer::Ring::create(path("ring", number), ring_bytes);
            ASSERT_TRUE(ring.is_mapped());
            ring.header().generation.store(generation);
            ring.header().state.store(writer::RingState::open);
            streams_[number].emplace(std::move(ring), path("note", number), std::make_shared<uint64_t>(0),
                                     ended_, packer_);
        }
        file_ = writer::SharedFile::create(path("shared", 0), {.capacity = 1 << 20}, 0);
        ASSERT_TRUE(file_.is_mapped());
        for (uint32_t number : {0u, 1u}) {
            ASSERT_TRUE(producers_[number].open(file_.buffer(), static_cast<uint32_t>(getpid()),
                                                static_cast<uint32_t>(gettid())));
            producers_[number].sign(writer::sender_of(number, generation), nullptr);
        }
        start_mover();
    }
    void start_mover() {
        mover_.emplace(writer::SharedFile::open(path("shared", 0)),
                       static_cast<writer::Mover::Rings&>(*this));
    }
    void move() {
        mover_->look();
        mover_->move();
    }
    // The drainer dies before it gives the records back.
    void move_and_die() {
        std::string before = read_file(path("shared", 0));
        move();
        int fd = ::open(path("shared", 0).c_str(), O_WRONLY);
        ASSERT_EQ(pwrite(fd, before.data(), before.size(), 0), static_cast<ssize_t>(before.size()));
        ::close(fd);
        start_mover();
    }
    writer::DrainedStream* reporter_of(const writer::ProcessId&) override { return &*streams_[0]; }
    writer::DrainedStream* find(uint32_t number) override {
        return number < 2 ? &*streams_[number] : nullptr;
    }
    void make_room(writer::DrainedStream&) override { ++room_was_made_; }

    writer::RingHeader& header(uint32_t number) { return streams_[number]->header(); }
    // "OB. 10, OB. 20"
    std::string events(uint32_t number) {
        std::string text;
        uint64_t published = header(number).published.load();
        const uint8_t* data = streams_[number]->ring().data();
        for (uint64_t at = 0; at < published; at += ovni_format_event_size(data + at, published - at)) {
            if (at > 0) text += ", ";
            text += std::string(reinterpret_cast<const char*>(data + at + OVNI_FORMAT_CODE_AT), 3) + " " +
                    std::to_string(ovni_format_clock(data + at));
        }
        return text;
    }
    const writer::RingMoved& moved(uint32_t number) {
        return header(number).moved[header(number).current_moved.load() % 2];
    }
    std::string path(const char* kind, uint32_t number) {
        return directory_.path() / (std::string(kind) + "." + std::to_string(number));
    }

    static constexpr size_t ring_bytes = size_t{256} << 10;
    TemporaryDirectory directory_;
    writer::EndedStreams ended_;
    writer::StreamPacker packer_;
    std::array<std::optional<writer::DrainedStream>, 2> streams_;
    writer::SharedFile file_;
    std::array<writer::SharedProducer, 2> producers_;
    std::optional<writer::Mover> mover_;
    int room_was_made_ = 0;
};

TEST_F(MoverTest, EveryEventGetsIntoTheRingOfItsThread) {
    producers_[0].write("OB.", 10);
    producers_[1].write("OC.", 11, int32_t{5});
    producers_[0].write("OB.", 12, uint64_t{1}, uint64_t{2});
    move();
    EXPECT_EQ(events(0), "OB. 10, OB. 12");
    EXPECT_EQ(events(1), "OC. 11");
    EXPECT_EQ(header(0).published.load(), 12u + 28u);
}

TEST_F(MoverTest, WhatIsHandedOverTwiceIsTakenOnce) {
    producers_[0].write("OB.", 10);
    producers_[1].write("OC.", 11);
    move_and_die();
    EXPECT_EQ(events(0), "OB. 10");
    producers_[0].write("OB.", 12);
    move_and_die();
    move_and_die();
    producers_[1].write("OC.", 13);
    move();
    EXPECT_EQ(events(0), "OB. 10, OB. 12");
    EXPECT_EQ(events(1), "OC. 11, OC. 13");
}

TEST_F(MoverTest, ADrainerThatDiesBeforeItPublishesLeavesItToTheNext) {
    producers_[0].write("OB.", 10);
    move();
    header(0).published.store(0);
    start_mover();
    producers_[0].write("OB.", 12);
    move();
    EXPECT_EQ(events(0), "OB. 10, OB. 12");
}

TEST_F(MoverTest, PartsAreKeptFromOneDrainerToTheNext) {
    writer::Event event = writer::make_event("OB.", 20, uint64_t{1}, uint64_t{2});
    producers_[0].write("OB.", 10);
    producers_[0].write_jumbo(writer::record_is_part, 20, {event.bytes, 16});
    move_and_die();
    move();
    EXPECT_EQ(events(0), "OB. 10");
    start_mover();
    producers_[0].write_jumbo(writer::record_is_last_part, 20, {event.bytes + 16, 12});
    move_and_die();
    move();
    EXPECT_EQ(events(0), "OB. 10, OB. 20");
}

TEST_F(MoverTest, PartsWithoutAnEndGiveWay) {
    writer::Event event = writer::make_event("OB.", 20, uint64_t{1}, uint64_t{2});
    producers_[0].write_jumbo(writer::record_is_part, 20, {event.bytes, 16});
    producers_[0].write("OB.", 30);
    move();
    EXPECT_EQ(events(0), "OB. 30");
}

TEST_F(MoverTest, OlderClocksAreRaisedAndCounted) {
    producers_[0].write("OB.", 5'000'000'000);
    producers_[0].write("OB.", 4'999'999'999);
    producers_[0].write("OB.", 3'000'000'000);
    producers_[0].write("OU[", 5'000'000'001);
    producers_[0].write("OB.", 4'999'999'999);
    producers_[0].write("OU]", 5'000'000'002);
    move();
    EXPECT_EQ(
        events(0),
        "OB. 5000000000, OB. 5000000000, OB. 3000000000, OU[ 5000000001, OB. 4999999999, OU] 5000000002");
    EXPECT_EQ(moved(0).raised, 1u);
}

TEST_F(MoverTest, LostEventsAreAGapBeforeTheNext) {
    producers_[0].write("OB.", 10);
    producers_[0].lose();
    producers_[0].lose();
    producers_[0].write("OB.", 20);
    move_and_die();
    move();
    ASSERT_EQ(header(0).notes_added.load(), 1u);
    const writer::RingNote& note = header(0).notes[0];
    EXPECT_EQ(note.position, 12u);
    EXPECT_EQ(note.from, 10u);
    EXPECT_EQ(note.to, 20u);
    EXPECT_EQ(note.lost, 2u);
    EXPECT_EQ(moved(0).lost, 2u);
}

TEST_F(MoverTest, EventsOfAnEarlierUseOfTheRingAreForNobody) {
    producers_[0].write("OB.", 10);
    move();
    producers_[0].write("OB.", 20);
    header(0).generation.store(generation + 1);
    producers_[1].write("OC.", 30);
    move();
    EXPECT_EQ(events(0), "OB. 10");
    EXPECT_EQ(events(1), "OC. 30");
}

TEST_F(MoverTest, WhatFindsNoRoomInTheRingIsLostAndCounted) {
    constexpr uint64_t fit = ring_bytes / 28;
    for (uint64_t i = 0; i < fit + 10; ++i) producers_[0].write("OB.", i, i, i);
    move();
    EXPECT_GT(room_was_made_, 0);
    EXPECT_EQ(header(0).published.load(), fit * 28);
    EXPECT_EQ(moved(0).lost, 10u);
}

TEST_F(MoverTest, AClosedRingWaitsForItsLastEvents) {
    producers_[0].write("OB.", 10);
    header(0).shared_end.store(file_.buffer().header().reserved.load());
    EXPECT_FALSE(mover_->has_moved_all_of(header(0)));
    move();
    EXPECT_TRUE(mover_->has_moved_all_of(header(0)));
}

}  // namespace
}  // namespace ovni::test
