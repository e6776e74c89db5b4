// Losses that the user allows: every event is in the stream, or a gap counts it where it is missing; events
// that hold a stream together are never lost.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"
#include "tests/support/launchers.hpp"

namespace ovni::test {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr uint64_t count = 400'000, each = 20'000;  // events, and how many between two pauses

class LossTest : public RuntimeTest {
 protected:
    // The program's status must be its own.
    void run_target(const Words& launcher, int threads, const Words& options = {},
                    const Words& settings = {}) {
        Words environment =
            Words{"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()} + settings;
        Words target{BUILD_DIR "/tests/runtime_loss_target", std::to_string(threads), std::to_string(count)};
        done_ = run(launcher + target + options, environment);
        EXPECT_EQ(done_.status, 9) << done_.err;
        wait_for_end(threads);
        ASSERT_EQ(streams().size(), static_cast<size_t>(threads));
    }

    void expect_accepted() {
        Finished emulated = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }

    Finished done_;

 private:
    // A drainer that is detached goes on when the program has ended.
    void wait_for_end(int threads) const {
        for (int i = 0; i < 2000 && finished_streams() < threads; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    int finished_streams() const {
        int finished = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(trace()))
            finished += entry.path().filename() == "stream.json" &&
                        file_content(entry.path()).find("\"finished\"") != std::string::npos;
        return finished;
    }
};

// How many numbered events gaps of that reason count. All of them, and nothing else, are missing.
uint64_t lost_of(const RecordedStream& stream, const std::string& reason) {
    uint64_t number = 0, lost = 0, pauses = 0, definitions = 0, clock = 0;
    nlohmann::ordered_json gaps;
    if (stream.gaps.is_object()) gaps = stream.gaps["gaps"];
    size_t next = 0;
    auto pass_gaps = [&](uint64_t offset) {
        for (; next < gaps.size() && gaps[next]["offset"] == offset; ++next) {
            const auto& gap = gaps[next];
            EXPECT_EQ(gap["reason"], reason);
            EXPECT_GE(gap["from"], clock);
            EXPECT_GE(gap["to"], gap["from"]);
            lost += gap["lost"].get<uint64_t>();
            number += gap["lost"].get<uint64_t>();
        }
    };
    for (const RecordedEvent& event : stream.events) {
        pass_gaps(event.offset);
        clock = event.clock;
        pauses += event.code == "OHp";
        definitions += event.code == "VYc";
        if (event.code == "OB.") {
            EXPECT_EQ(event.argument<uint64_t>(0), ++number) << "at byte " << event.offset;
            number = event.argument<uint64_t>(0);
        }
    }
    pass_gaps(stream.bytes.size());
    EXPECT_EQ(next, gaps.size()) << "gaps that lie nowhere: " << gaps;
    EXPECT_EQ(number, count);
    EXPECT_EQ(pauses, count / each);
    EXPECT_EQ(definitions, count / each);
    EXPECT_EQ(stream.json["ovni"].value("lost", uint64_t{0}), lost);
    EXPECT_TRUE(stream.clocks_never_decrease());
    return lost;
}

TEST_F(LossTest, WhatIsDiscardedIsCountedWhereItIsMissing) {
    run_target({}, 2, {}, {"OVNI_BUFFER=256k", "OVNI_ON_FULL=discard"});
    for (const RecordedStream& stream : streams()) lost_of(stream, "discarded");
    expect_accepted();
}

TEST_F(LossTest, AStoppedDrainerLosesOnlyWhatMayBeDiscarded) {
    run_target({program("ovnirun"), "--buffer", "256k", "--on-full", "discard"}, 1, {"0.3"});
    EXPECT_GT(lost_of(stream(), "discarded"), 0u);
    expect_accepted();
    EXPECT_THAT(done_.err, IsEmpty());
}

TEST_F(LossTest, AStoppedDrainerLosesNothingOfWhoWaits) {
    run_target({program("ovnirun"), "--buffer", "256k"}, 1, {"3"});
    EXPECT_EQ(lost_of(stream(), ""), 0u);
    expect_accepted();
}

class LimitTest : public LossTest, public ::testing::WithParamInterface<Words> {};
INSTANTIATE_TEST_SUITE_P(By, LimitTest, all_launchers(), launcher_name);

TEST_P(LimitTest, ALimitOfBytesOnDiskEndsTheTraceAndNotTheProgram) {
    constexpr uint64_t limit = 1'000'000, all = count + 3 * count / each + 2;
    run_target(GetParam(), 2, {}, {"OVNI_LIMIT=1000000", "OVNI_STREAM=plain"});
    uint64_t bytes = 0;
    for (const RecordedStream& stream : streams()) {
        bytes += stream.bytes.size() - OVNI_FORMAT_STREAM_HEADER;
        ASSERT_EQ(stream.gaps["gaps"].size(), 1u) << stream.gaps;
        EXPECT_EQ(stream.gaps["gaps"][0]["offset"], stream.bytes.size());
        EXPECT_EQ(stream.gaps["gaps"][0]["reason"], "limit");
        EXPECT_EQ(stream.gaps["gaps"][0]["lost"].get<uint64_t>() + stream.events.size(), all);
        EXPECT_EQ(stream.json["ovni"]["lost"], all - stream.events.size());
    }
    EXPECT_LE(bytes, limit);
    EXPECT_GT(bytes, limit - 2 * OVNI_FORMAT_EVENT_MAX);
    EXPECT_THAT(done_.err,
                MatchesRegex("ERROR: ovni: process [0-9]+ may not write more than 1000000 bytes, .*\n"));
    expect_accepted();
}

// Nothing follows that could tell of it.
TEST_F(LossTest, WhatIsLostAtTheEndOfAStreamIsCounted) {
    constexpr uint32_t more_than_the_buffer = 1 << 20;
    set_environment("OVNI_BUFFER", "256k");
    run_traced([] {
        start();
        put("OB.", ovni_clock_now());
        ovni_ev large = event("VYc", ovni_clock_now());
        ovni_ev_jumbo_emit(&large, std::vector<uint8_t>(more_than_the_buffer).data(), more_than_the_buffer);
        stop();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OB.");
    ASSERT_TRUE(recorded.gaps.is_object());
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u);
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.bytes.size());
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"], 1);
    EXPECT_EQ(recorded.json["ovni"]["lost"], 1);
}

// One that is open when the program ends.
TEST_F(LossTest, TheEndThatTheWriterAddsCountsToo) {
    constexpr size_t events = 10, limit = OVNI_FORMAT_EVENT_MAX + events * OVNI_FORMAT_EVENT_HEADER;
    set_environment("OVNI_LIMIT", std::to_string(limit));
    run_traced([] {
        ovni_private_thread_open();
        for (size_t i = 0; i < events; ++i) put("OB.", ovni_clock_now());
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.bytes.size(), OVNI_FORMAT_STREAM_HEADER + limit);
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u);
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"], 1);
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "limit");
    EXPECT_EQ(recorded.json["ovni"]["lost"], 1);
    expect_accepted();
}

// A drainer that goes on after another one counts what that has written.
TEST_F(LossTest, TheLimitHoldsForAnotherDrainer) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    constexpr size_t limit = 500'000;
    set_environment("OVNI_LIMIT", std::to_string(limit));
    run_traced([] {
        start();
        put_begin(1);
        for (uint64_t i = 2; i <= 30'000; ++i) put("OB.", i);
        ovni_flush();
        for (uint64_t i = 30'001; i <= 60'000; ++i) put("OB.", i);
        ::raise(SIGKILL);
    });
    Finished recovered = recover();
    EXPECT_EQ(recovered.status, 0) << recovered.err;
    EXPECT_LE(stream().bytes.size(), OVNI_FORMAT_STREAM_HEADER + limit);
    EXPECT_GT(stream().bytes.size(), limit - 12);
    EXPECT_EQ(stream().json["ovni"]["lost"], 60'002 - stream().events.size());
}

// The limit counts rings that others use by now, too, but nothing that was in a stream before.
TEST_F(LossTest, TheLimitHoldsForAnotherDrainerOfManyThreads) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    constexpr size_t limit = 500'000, of_thread = 120'000;
    set_environment("OVNI_LIMIT", std::to_string(limit));
    run_traced([] {
        start();
        for (pid_t tid : {1, 2, 3, 3}) {
            std::thread([tid] {
                ovni_thread_init(tid);
                put_begin(ovni_clock_now());
                for (size_t i = 0; i < of_thread / 12; ++i) put("OB.", ovni_clock_now());
                put("OHe", ovni_clock_now());
                ovni_thread_free();
            }).join();
        }
        put_begin(ovni_clock_now());
        for (size_t i = 0; i < 10'000; ++i) put("OB.", ovni_clock_now());
        ::raise(SIGKILL);
    });
    Finished recovered = recover();
    EXPECT_EQ(recovered.status, 0) << recovered.err;
    size_t bytes = 0;
    for (const RecordedStream& stream : streams()) bytes += stream.bytes.size() - OVNI_FORMAT_STREAM_HEADER;
    EXPECT_LE(bytes, limit);
    EXPECT_GT(bytes, limit - 28);
}

// Nobody else can take the place of a drainer that hangs.
TEST_F(LossTest, NobodyWaitsForADrainerThatDoesNotComeBack) {
    run_target({program("ovnirun"), "--buffer", "256k"}, 1, {"forgotten"});
    EXPECT_GT(lost_of(stream(), "memory"), 0u);
    expect_accepted();
}

}  // namespace
}  // namespace ovni::test
