// Packed streams: their blocks, what waits for them, and drainers that die amid one.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <thread>

#include "drain/drainer.hpp"
#include "ovni/emit.hpp"
#include "ovni/packed.h"
#include "tests/runtime/hand_made_ring.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

std::string obs_of(const fs::path& directory) {
    return file_content(directory / "stream.obs");
}

uint32_t version_of(const fs::path& directory) {
    const std::string file = obs_of(directory);
    uint32_t version = 0;
    if (file.size() >= OVNI_FORMAT_STREAM_HEADER) memcpy(&version, &file[4], sizeof version);
    return version;
}

size_t blocks_in(const fs::path& directory) {
    const std::string file = obs_of(directory);
    size_t blocks = 0;
    for (size_t at = 0; (at = file.find(OVNI_PACKED_MAGIC, at)) != file.npos; ++at) ++blocks;
    return blocks;
}

class PackedStreamTest : public RuntimeTest {
 protected:
    static constexpr uint64_t for_ever = std::numeric_limits<uint64_t>::max();

    static void make_packed(HandMadeRing& made, uint64_t flush_age = for_ever) {
        made.ring.header().form = writer::StreamForm::packed;
        made.ring.header().flush_age = flush_age;
    }
    static void put(HandMadeRing& made, uint64_t from, uint64_t events) {
        for (uint64_t i = 0; i < events; ++i) made.put("OB.", from + i);
    }
    static void expect_numbered(const RecordedStream& recorded, uint64_t events) {
        ASSERT_EQ(recorded.events.size(), events);
        for (uint64_t i = 0; i < events; ++i) ASSERT_EQ(recorded.events[i].clock, i + 1);
    }
};

TEST_F(PackedStreamTest, EventsWaitUntilTheyFillABlock) {
    constexpr uint64_t few = 10, many = 7000;  // a quarter of the ring
    HandMadeRing made(home());
    make_packed(made);
    auto drainer = made.drainer();
    put(made, 1, few);
    drainer->drain();
    EXPECT_EQ(made.recorded().bytes.size(), size_t{OVNI_FORMAT_STREAM_HEADER});
    put(made, 1 + few, many);
    drainer->drain();
    expect_numbered(made.recorded(), few + many);
    EXPECT_EQ(version_of(made.recorded().directory), uint32_t{OVNI_PACKED_VERSION});
    EXPECT_LT(obs_of(made.recorded().directory).size(), many);
    EXPECT_FALSE(fs::exists(made.recorded().directory / "stream.crc"));
}

TEST_F(PackedStreamTest, EventsThatAreAskedForDoNotWait) {
    HandMadeRing made(home());
    make_packed(made);
    auto drainer = made.drainer();
    put(made, 1, 3);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 0u);
    ask_for(made.ring.header(), made.ring.header().published);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 3u);
    put(made, 4, 2);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 3u);
    ++made.ring.header().readings;
    drainer->drain();
    expect_numbered(made.recorded(), 5);
    EXPECT_EQ(made.ring.header().readings_made, 1u);
}

TEST_F(PackedStreamTest, EventsThatWaitedForLongAreWritten) {
    HandMadeRing made(home());
    make_packed(made, 20'000'000);
    auto drainer = made.drainer();
    put(made, 1, 3);
    drainer->drain();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    drainer->drain();
    expect_numbered(made.recorded(), 3);
}

TEST_F(PackedStreamTest, AThreadWithFewEventsWritesOneBlock) {
    set_environment("OVNI_STREAM", "packed");
    run_traced([] {
        start();
        for (uint64_t i = 1; i <= 50; ++i) {
            test::put("OB.", i);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        stop();
    });
    expect_numbered(stream(), 50);
    EXPECT_EQ(blocks_in(stream().directory), 1u);
}

TEST_F(PackedStreamTest, AFlushIsOnDiskWhenItReturns) {
    set_environment("OVNI_STREAM", "packed");
    run_traced([this] {
        start();
        test::put("OB.", 1);
        ovni_flush();
        ::_exit(stream().codes().starts_with("OB.") ? 0 : 1);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

// The next drainer packs more events than the one before did.
TEST_F(PackedStreamTest, ABlockThatADrainerLeftAtAnyByteIsWrittenAgain) {
    constexpr uint64_t first = 300, second = 40, later = 7;
    HandMadeRing made(home());
    make_packed(made);
    put(made, 1, first);
    ask_for(made.ring.header(), made.ring.header().published);
    made.drainer()->drain();
    const fs::path events = made.recorded().directory / "stream.obs", before = home() / "before";
    const auto written = fs::file_size(events);
    fs::copy_file(made.path, before);
    put(made, 1 + first, second);
    ask_for(made.ring.header(), made.ring.header().published);
    made.drainer()->drain();
    expect_numbered(made.recorded(), first + second);
    const std::string whole = file_content(events);
    for (size_t end = written; end <= whole.size(); ++end) {
        fs::copy_file(before, made.path, fs::copy_options::overwrite_existing);
        std::ofstream(events, std::ios::binary) << whole.substr(0, end);
        put(made, 1 + first, second + later);
        EXPECT_TRUE(made.drainer()->finish({})) << end;
        ASSERT_NO_FATAL_FAILURE(expect_numbered(made.recorded(), first + second + later)) << end;
        ASSERT_EQ(blocks_in(events.parent_path()), 2u) << end;
    }
}

TEST_F(PackedStreamTest, AStreamThatGoesOnKeepsItsForm) {
    using writer::StreamForm;
    for (const StreamForm form : {StreamForm::plain, StreamForm::packed})
        for (const bool is_torn : {false, true}) {
            fs::remove_all(home() / "ovni");
            uint64_t events = 0;
            for (const StreamForm now : {form, StreamForm::plain, StreamForm::packed}) {
                fs::remove(home() / "ring");
                HandMadeRing made(home());
                make_packed(made);
                made.ring.header().form = now;
                made.ring.header().continues = events > 0 ? 1 : 0;
                put(made, 1 + events, 20);
                if (is_torn && events > 0 && form == StreamForm::packed)
                    std::ofstream(made.recorded().directory / "stream.obs", std::ios::app)
                        << "oblk" << std::string(5000, 'x');
                EXPECT_TRUE(made.drainer()->finish({}));
                events += 20;
                ASSERT_NO_FATAL_FAILURE(expect_numbered(made.recorded(), events));
                EXPECT_EQ(version_of(made.recorded().directory), form == StreamForm::packed
                                                                     ? uint32_t{OVNI_PACKED_VERSION}
                                                                     : uint32_t{OVNI_FORMAT_VERSION});
            }
        }
}

// The program goes on, perhaps for long without an event.
TEST_F(PackedStreamTest, ADrainerThatEndsLeavesNothingThatWaits) {
    const fs::path directory = home() / "run.1";
    writer::Session session = writer::Session::create(directory);
    HandMadeRing made(home());
    make_packed(made);
    put(made, 1, 3);
    fs::rename(made.path, session.ring_path(0));
    fs::rename(made.path.string() + ".json", session.note_path(0));
    session.header().rings = 1;
    writer::Drainer drainer(session);
    EXPECT_FALSE(drainer.finish_dead());
    EXPECT_EQ(made.recorded().events.size(), 0u);
    drainer.resign();
    expect_numbered(made.recorded(), 3);
}

TEST_F(PackedStreamTest, HandlersEventsAndGapsDoNotWaitIfTheirRoomFills) {
    HandMadeRing made(home());
    make_packed(made);
    auto drainer = made.drainer();
    put(made, 1, 2);
    made.note_gap(3, 4, 0);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 0u);
    for (uint32_t i = 1; i < writer::RingHeader::most_notes / 4; ++i) made.note_gap(3 + 2 * i, 4 + 2 * i, 0);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 2u);
    put(made, 1000, 1);
    made.lose_nested(1001);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 3u);
    const uint64_t events =
        writer::Ring::nested_bytes / 4 / (sizeof(uint64_t) + OVNI_FORMAT_EVENT_HEADER) + 1;
    for (uint64_t i = 0; i < events; ++i) made.put_nested("OC.", 1010);
    put(made, 1020, 1);
    drainer->drain();
    EXPECT_EQ(made.recorded().events.size(), 4u + events);
}

TEST_F(PackedStreamTest, LargeEventsStandInBlocksOfTheirOwn) {
    set_environment("OVNI_STREAM", "packed");
    const std::vector<uint8_t> large(1'900'000, 7);
    run_traced([&] {
        start();
        for (uint64_t i = 1; i <= 4; ++i) {
            test::put("OB.", 2 * i);
            ovni_ev event = test::event("OUx", 2 * i + 1);
            ovni_ev_jumbo_emit(&event, large.data(), static_cast<uint32_t>(large.size() / i));
        }
        stop();
    });
    const RecordedStream recorded = stream();
    ASSERT_EQ(std::ranges::count(recorded.events, "OUx", &RecordedEvent::code), 4) << recorded.codes();
    uint64_t i = 1;
    for (const RecordedEvent& event : recorded.events) {
        if (event.code != "OUx") continue;
        EXPECT_EQ(event.payload.size(), 4 + large.size() / i++);
    }
    EXPECT_FALSE(recorded.json["ovni"].contains("lost")) << recorded.json;
}

TEST_F(PackedStreamTest, TheDiskTakesNoMoreThanTheLimit) {
    constexpr uint64_t limit = 60'000, count = 400'000;
    set_environment("OVNI_STREAM", "packed");
    set_environment("OVNI_LIMIT", std::to_string(limit));
    run_traced([] {
        start();
        for (uint64_t i = 0; i < count; ++i) emit("OB.", i * i);
        stop();
    });
    const RecordedStream recorded = stream();
    const uint64_t size = fs::file_size(recorded.directory / "stream.obs");
    constexpr uint64_t smallest_block = OVNI_PACKED_BLOCK_HEADER + 32;
    EXPECT_LE(size, limit + OVNI_FORMAT_STREAM_HEADER);
    EXPECT_GT(size, limit - smallest_block);
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps;
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.bytes.size());
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "limit");
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"].get<uint64_t>() + recorded.events.size(), count);
}

void limit_files(rlim_t bytes) {
    const rlimit limit{bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(PackedStreamTest, EventsWaitForRoomOnDisk) {
    set_environment("OVNI_STREAM", "packed");
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        limit_files(300);
        for (uint64_t i = 1; i <= 300; ++i) {
            test::put("OB.", i * i * 1'000'003);
            if (i % 100 == 0) ovni_flush();
        }
        limit_files(RLIM_INFINITY);
        test::put("OU[", 1'000'000'000'000'000);
        stop();
    });
    EXPECT_THAT(printed_errors(),
                ::testing::MatchesRegex("ERROR: [a-z_]+: .*they stay in memory while there is room.*\n"));
    const RecordedStream recorded = stream();
    EXPECT_EQ(std::ranges::count(recorded.events, "OB.", &RecordedEvent::code), 300);
    EXPECT_EQ(recorded.events.back().code, "OU[");
    EXPECT_FALSE(recorded.json["ovni"].contains("lost")) << recorded.json;
    EXPECT_TRUE(recorded.gaps.is_discarded()) << recorded.gaps;
}

TEST_F(PackedStreamTest, AFullFileLosesWholeEventsAndSaysSo) {
    constexpr uint64_t count = 200'000;
    constexpr rlim_t most = 100'000;
    set_environment("OVNI_STREAM", "packed");
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        limit_files(most);
        for (uint64_t i = 0; i < count; ++i) test::put("OB.", i * i);
        stop();
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), ::testing::MatchesRegex("ERROR: [a-z_]+: .*: File too large\n"));
    const RecordedStream recorded = stream();
    EXPECT_LE(fs::file_size(recorded.directory / "stream.obs"), most);
    const uint64_t kept = recorded.events.size();
    EXPECT_GT(kept, 10'000u);
    for (uint64_t i = 0; i < kept; ++i) ASSERT_EQ(recorded.events[i].clock, i * i);
    EXPECT_EQ(recorded.json["ovni"]["lost"], count - kept);
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps;
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.bytes.size());
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"], count - kept);
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "error");
}

struct Run {
    const char* name;
    std::vector<std::string> words;
    uint32_t version;
};
class FormTest : public RuntimeTest, public testing::WithParamInterface<Run> {};

TEST_P(FormTest, IsThatOfTheLauncher) {
    std::vector<std::string> words = GetParam().words;
    if (!words.empty()) words.front() = program(words.front());
    words.insert(words.end(), {BUILD_DIR "/tests/runtime_loss_target", "1", "100"});
    const Finished done = run(words, {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()});
    EXPECT_EQ(done.status, 9) << done.err;
    EXPECT_EQ(version_of(stream().directory), GetParam().version);
    EXPECT_GE(stream().events.size(), 100u);
    const Finished emulated = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
    EXPECT_EQ(emulated.status, 0) << emulated.err;
}

INSTANTIATE_TEST_SUITE_P(
    Below, FormTest,
    testing::Values(
        Run{"nothing", {}, OVNI_FORMAT_VERSION}, Run{"ovnirun", {"ovnirun"}, OVNI_PACKED_VERSION},
        Run{"plain", {"ovnirun", "--stream", "plain"}, OVNI_FORMAT_VERSION},
        Run{"reference", {"ovnirun", "--mpi-events=reference"}, OVNI_FORMAT_VERSION},
        Run{"both", {"ovnirun", "--mpi-events=reference", "--stream=packed"}, OVNI_PACKED_VERSION},
        Run{"flight", {"ovnirun", "--flight", "1M", "--flush-age", "0.5"}, OVNI_PACKED_VERSION}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace ovni::test
