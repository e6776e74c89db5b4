// Drainers that die at a bad moment, and rings that are damaged: the next drainer goes on from what the ring
// tells.
#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "drain/drainer.hpp"
#include "tests/runtime/hand_made_ring.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

class DrainerTest : public RuntimeTest {};

// Containers below one ovnirun have processes of equal numbers.
TEST_F(DrainerTest, AProcessAtItsEndLeavesTheRingOfANamesakeAlone) {
    const fs::path directory = home() / "run.1";
    writer::Session session = writer::Session::create(directory);
    HandMadeRing made(home());
    made.put("OB.", 10);
    fs::rename(made.path, session.ring_path(0));
    fs::rename(made.path.string() + ".json", session.note_path(0));
    session.header().rings = 1;
    writer::RingHeader& header = made.ring.header();
    const uint64_t start = header.process_start, space = header.pid_space;
    ASSERT_NE(start, 0u);
    ASSERT_NE(space, 0u);

    header.pid_space = space + 1;
    EXPECT_FALSE(writer::Drainer(session).finish_own());
    header.pid_space = space;
    EXPECT_EQ(header.state, writer::RingState::open);
    EXPECT_TRUE(fs::exists(session.ring_path(0)));
    header.process_start = start;
    EXPECT_TRUE(writer::Drainer(session).finish_own());
    EXPECT_FALSE(fs::exists(session.ring_path(0)));
    EXPECT_EQ(made.recorded().codes(), "OB.");
}

TEST_F(DrainerTest, GapsAreNotRepeatedByTheNextDrainer) {
    HandMadeRing made(home());
    auto first = made.drainer();
    made.put("OB.", 10);
    made.note_gap(11, 19, 3);
    made.put("OB.", 20);
    first->drain();
    writer::RingHeader& header = made.ring.header();
    const uint32_t current = header.current;
    const writer::RingProgress known = header.progress[current % 2];
    made.note_gap(21, 29, 0);
    made.put("OB.", 30);
    made.note_gap(31, 39, 5);
    first->drain();
    EXPECT_EQ(made.recorded().gaps["gaps"].size(), 3u);
    // It died behind the gaps, before it said so in the ring.
    first.reset();
    header.progress[current % 2] = known;
    header.current = current;
    header.drained = known.drained;
    made.put("OB.", 40);
    EXPECT_TRUE(made.drainer()->finish({}));
    RecordedStream recorded = made.recorded();
    EXPECT_EQ(recorded.codes(), "OB. OB. OB. OB.");
    ASSERT_EQ(recorded.gaps["gaps"].size(), 3u) << recorded.gaps.dump();
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(recorded.gaps["gaps"][i]["offset"], recorded.events[i + 1].offset) << recorded.gaps.dump();
}

// Else it waits for room that is there.
TEST_F(DrainerTest, TheOwnerLearnsWhatADrainerCouldNotTellAnyMore) {
    HandMadeRing made(home());
    auto first = made.drainer();
    made.put("OB.", 10);
    first->drain();
    first.reset();
    writer::RingHeader& header = made.ring.header();
    const uint64_t drained = header.drained;
    ASSERT_GT(drained, 0u);
    header.drained = 0;
    const uint32_t blocks = header.drained_blocks;
    made.drainer()->drain();
    EXPECT_EQ(header.drained, drained);
    EXPECT_NE(header.drained_blocks, blocks);
    EXPECT_EQ(made.recorded().codes(), "OB.");
}

TEST_F(DrainerTest, AGapThatHadGrownInTheFileGrowsOnce) {
    HandMadeRing made(home());
    auto first = made.drainer();
    made.put("OB.", 10);
    made.note_gap(11, 19, 3);
    first->drain();
    writer::RingHeader& header = made.ring.header();
    const uint32_t current = header.current;
    const writer::RingProgress known = header.progress[current % 2];
    made.note_gap(21, 29, 4);
    first->drain();
    first.reset();
    header.progress[current % 2] = known;
    header.current = current;
    made.put("OB.", 40);
    EXPECT_TRUE(made.drainer()->finish({}));
    RecordedStream recorded = made.recorded();
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps.dump();
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"], 7);
}

TEST_F(DrainerTest, AGapsFileThatWasCutIsWrittenAnew) {
    HandMadeRing made(home());
    auto first = made.drainer();
    made.put("OB.", 10);
    made.note_gap(11, 19, 3);
    made.put("OB.", 20);
    made.note_gap(21, 29, 4);
    made.put("OB.", 30);
    first->drain();
    first.reset();
    fs::path gaps = made.trace.string() + HandMadeRing::place + "/stream.gaps.json";
    std::string text = file_content(gaps);
    std::ofstream(gaps) << text.substr(0, text.size() - 8) << "\n{\"offset";
    made.ring.header().progress[made.ring.header().current % 2].gaps = {1, 19, 3};
    EXPECT_TRUE(made.drainer()->finish({}));
    ASSERT_EQ(made.recorded().gaps["gaps"].size(), 1u) << file_content(gaps);
}

TEST_F(DrainerTest, AMoveThatWasInterruptedIsDoneOnce) {
    for (bool is_told : {false, true}) {
        fs::path place = home() / (is_told ? "told" : "untold");
        fs::create_directories(place);
        HandMadeRing made(place, true);
        made.put("OB.", 10);
        fs::path from = made.temporary.string() + HandMadeRing::place;
        auto first = made.drainer();
        first->drain();
        EXPECT_TRUE(first->finish({}));
        writer::RingHeader& header = made.ring.header();
        EXPECT_EQ(made.recorded().codes(), "OB.");
        EXPECT_FALSE(fs::exists(from));
        // It died after it had removed some of the files: nothing of what is left there counts.
        header.state = writer::RingState::open;
        fs::create_directories(from);
        if (is_told)
            std::ofstream(from / "stream.json") << "{}";
        else
            for (const char* name : {"stream.obs", "stream.json", "stream.crc"})
                fs::copy(made.trace.string() + HandMadeRing::place + "/" + name, from / name);
        header.in_trace = is_told;
        EXPECT_TRUE(made.drainer()->finish({}));
        EXPECT_EQ(made.recorded().codes(), "OB.");
        EXPECT_EQ(made.recorded().json["ovni"]["finished"], 1);
        EXPECT_TRUE(fs::is_empty(made.temporary));
    }
}

TEST_F(DrainerTest, ADamagedHeaderEndsItsStreamAlone) {
    const std::function<void(writer::RingHeader&)> damages[] = {
        [](writer::RingHeader& header) { header.published = uint64_t{1} << 40; },
        [](writer::RingHeader& header) { header.published = 0; },
        [](writer::RingHeader& header) { header.capacity = 0, header.magic = 0; },
        [](writer::RingHeader& header) { header.kept = UINT64_MAX; },
        [](writer::RingHeader& header) { header.notes_added = 1u << 30; },
        [](writer::RingHeader& header) { header.nested[1].published = UINT64_MAX; },
    };
    for (size_t i = 0; i < std::size(damages); ++i) {
        fs::path place = home() / std::to_string(i);
        fs::create_directories(place);
        HandMadeRing made(place);
        auto drainer = made.drainer();
        made.put("OB.", 10);
        drainer->drain();
        damages[i](made.ring.header());
        drainer->drain();
        drainer->drain();
        EXPECT_TRUE(drainer->finish({}));
        RecordedStream recorded = made.recorded();
        EXPECT_EQ(recorded.codes(), "OB.") << i;
        ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << i;
        EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "damaged");
        EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
    }
}

// Each event is damaged in turn, also where the ring wraps, and whatever becomes of its bytes.
TEST_F(DrainerTest, DamageInTheMiddleNeverGetsIntoTheStream) {
    const std::function<void(uint8_t*)> damages[] = {
        [](uint8_t* event) { memset(event, 0, 12); },
        [](uint8_t* event) { memset(event, 0xff, 12); },
        [](uint8_t* event) { event[2] = 0x80; },
        [](uint8_t* event) { event[0] = 0x30; },
        [](uint8_t* event) { event[0] = OVNI_FORMAT_JUMBO; },
        [](uint8_t* event) { memset(event, 0x7f, 12); },
    };
    constexpr uint64_t size = OVNI_FORMAT_EVENT_HEADER;
    int place = 0;
    for (const auto& damage : damages)
        for (uint64_t damaged = 0; damaged < 6; ++damaged)
            for (bool wraps : {false, true}) {
                fs::path home_of_it = home() / std::to_string(place++);
                fs::create_directories(home_of_it);
                HandMadeRing made(home_of_it);
                auto drainer = made.drainer();
                uint64_t before = 0;
                if (wraps)
                    for (; made.ring.header().published + 3 * size < made.ring.capacity(); ++before)
                        made.put("OB.", before);
                if (wraps) drainer->drain();
                uint64_t begin = made.ring.header().published;
                for (uint64_t i = 0; i < 6; ++i) made.put("OB.", 1'000'000 + i);
                uint8_t event[size];
                for (uint64_t i = 0; i < size; ++i) event[i] = *made.ring.at(begin + damaged * size + i);
                damage(event);
                for (uint64_t i = 0; i < size; ++i) *made.ring.at(begin + damaged * size + i) = event[i];
                drainer->drain();
                EXPECT_TRUE(drainer->finish({}));
                RecordedStream recorded = made.recorded();
                EXPECT_EQ(recorded.events.size(), before + damaged) << place;
                ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << place;
                EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "damaged");
            }
}

TEST_F(DrainerTest, WhatHandlersLoseIsAGapBehindTheEventThatTheyInterrupted) {
    HandMadeRing made(home());
    auto drainer = made.drainer();
    made.put("OB.", 10);
    made.lose_nested(22);
    made.lose_nested(23);
    drainer->drain();
    EXPECT_TRUE(made.recorded().gaps.is_discarded());
    made.put("OB.", 20);
    made.put_nested("OU]", 33);
    made.put("OB.", 30);
    made.note_gap(34, 39, 5);
    made.put("OB.", 40);
    drainer->drain();
    made.put("OB.", 50);
    made.lose_nested(62);
    drainer->drain();
    made.put("OB.", 60);
    made.lose_nested(72);
    EXPECT_TRUE(made.drainer()->finish({}));
    RecordedStream recorded = made.recorded();
    EXPECT_EQ(recorded.codes(), "OB. OB. OB. OU] OB. OB. OB.");
    EXPECT_EQ(recorded.json["ovni"]["lost"], 4);
    const auto& gaps = recorded.gaps["gaps"];
    ASSERT_EQ(gaps.size(), 3u) << gaps.dump();
    const std::tuple<uint64_t, uint64_t, uint64_t, const char*> expected[] = {
        {recorded.events[2].offset, 22, 2, "handlers"},
        {recorded.events[4].offset, 34, 5, "test"},
        {recorded.bytes.size(), 62, 2, "handlers"}};
    for (size_t i = 0; i < 3; ++i) {
        auto [offset, from, lost, reason] = expected[i];
        EXPECT_EQ(gaps[i]["offset"], offset) << gaps.dump();
        EXPECT_EQ(gaps[i]["from"], from) << gaps.dump();
        EXPECT_EQ(gaps[i]["lost"], lost) << gaps.dump();
        EXPECT_EQ(gaps[i]["reason"], reason) << gaps.dump();
    }
}

TEST_F(DrainerTest, DamagedEventsEndTheStreamAfterTheLastWholeOne) {
    HandMadeRing made(home());
    made.put("OB.", 10);
    made.put("OB.", 20);
    uint64_t sound = made.ring.header().published;
    made.ring.header().published = sound + 100;
    // The size of a jumbo event that goes far beyond.
    memset(made.ring.at(sound), 0xff, 100);
    EXPECT_TRUE(made.drainer()->finish({}));
    RecordedStream recorded = made.recorded();
    EXPECT_EQ(recorded.codes(), "OB. OB.");
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "damaged");
    EXPECT_EQ(recorded.gaps["gaps"][0]["from"], 20);
}

TEST_F(DrainerTest, GapsBehindAMarkAreThoseThatCameSince) {
    writer::Gaps gaps;
    gaps.add({8, 10, 20, 2, "error"});
    EXPECT_FALSE(gaps.is_saved());
    EXPECT_EQ(gaps.behind({}).size(), 1u);
    const writer::GapMark mark = gaps.mark();
    EXPECT_TRUE(gaps.behind(mark).empty());
    EXPECT_TRUE(gaps.save(home() / "gaps.json"));
    EXPECT_TRUE(gaps.is_saved());
    gaps.add({8, 25, 30, 3, "error"});  // the gap goes on
    gaps.add({50, 40, UINT64_MAX, 0, "region"});
    const std::vector<writer::Gap> since = gaps.behind(mark);
    ASSERT_EQ(since.size(), 2u);
    EXPECT_EQ(since[0].from, 20u);
    EXPECT_EQ(since[0].to, 30u);
    EXPECT_EQ(since[0].lost, 3u);
    EXPECT_EQ(since[1].offset, 50u);
    EXPECT_EQ(since[1].to, UINT64_MAX);
}

TEST_F(DrainerTest, GapsAreInOrderWhateverIsAdded) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        writer::Gaps gaps;
        fs::path path = home() / "gaps.json";
        for (int i = 0; i < 20; ++i) {
            writer::Gap gap{random() % 100, random() % 1000, random() % 1000, random() % 3,
                            i % 2 ? "odd" : "even"};
            if (random() % 8 == 0) gap.to = UINT64_MAX;
            if (random() % 5 == 0)
                gaps.lose_after(gap.offset, gap);
            else
                gaps.add(gap);
            if (random() % 3 == 0) gaps.clamp(8 + random() % 100);
            if (random() % 2 == 0) {
                EXPECT_TRUE(gaps.save(path));
            }
        }
        EXPECT_TRUE(gaps.save(path));
        auto list = nlohmann::json::parse(file_content(path))["gaps"];
        EXPECT_EQ(list.size(), gaps.mark().count);
        for (size_t i = 0; i < list.size(); ++i) {
            uint64_t to = list[i].value("to", UINT64_MAX);
            EXPECT_GE(list[i]["offset"], 8);
            EXPECT_GE(to, list[i]["from"].get<uint64_t>());
            if (i == 0) continue;
            EXPECT_GE(list[i]["from"].get<uint64_t>(), list[i - 1].value("to", UINT64_MAX)) << list.dump();
            EXPECT_GE(list[i]["offset"], list[i - 1]["offset"]);
        }
        EXPECT_EQ(writer::Gaps::load(path).mark().count, gaps.mark().count);
        fs::remove(path);
    }
}

}  // namespace
}  // namespace ovni::test
