// The places of streams, and disks that refuse: the program goes on, and the trace says what is missing.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "ring/directories.hpp"
#include "tests/runtime/ours.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using DiskTest = RuntimeTest;

void record_one() {
    start();
    put("OB.", 1);
    stop();
}

size_t count_of(const RecordedStream& stream, const char* code) {
    return static_cast<size_t>(std::ranges::count(stream.events, code, &RecordedEvent::code));
}

// It may be raised again.
void file_size(rlim_t bytes) {
    rlimit limit{bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

void limit_file_size(rlim_t bytes) {
    rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(DiskTest, TraceDirectoryIsRelativeToTheDirectoryAtInit) {
    set_environment("OVNI_TRACEDIR", "ovni/deep");
    run_traced([this] {
        fs::current_path(home());
        ovni_proc_init(7, test_loom, test_pid);
        fs::current_path("/");
        ovni_thread_init(test_tid);
        put("OB.", 1);
        stop();
    });
    EXPECT_EQ(stream().directory, trace() / "deep/loom.nodeA.app1/proc.4321/thread.4321");
}

TEST_F(DiskTest, TheTraceIsCalledOvniUnlessTheEnvironmentNamesIt) {
    run_traced([this] {
        unsetenv("OVNI_TRACEDIR");
        fs::current_path(home());
        record_one();
    });
    EXPECT_EQ(codes(), "OB.");
}

TEST_F(DiskTest, ProcessDirectoryIsThereAfterInit) {
    run_traced([this] {
        ovni_proc_init(7, test_loom, test_pid);
        ::_exit(fs::is_directory(trace() / "loom.nodeA.app1/proc.4321") ? 0 : 1);
    });
    EXPECT_EQ(status(), 0);
}

TEST_F(DiskTest, TemporaryStreamsMoveToTheTrace) {
    fs::path temporary = home() / "tmp/run";
    set_environment("OVNI_TMPDIR", temporary);
    run_traced([&] {
        start();
        put("OB.", 1);
        ovni_flush();
        fs::path place = "loom.nodeA.app1/proc.4321/thread.4321";
        EXPECT_TRUE(fs::exists(temporary / place / "stream.json"));
        EXPECT_FALSE(fs::exists(trace() / place / "stream.json"));
        std::ofstream(temporary / place / "stream.extra") << "also";
        stop();
        ::exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OB.");
    EXPECT_EQ(file_content(stream().directory / "stream.extra"), "also");
    EXPECT_TRUE(fs::is_empty(temporary)) << "which is the user's";
}

TEST_F(DiskTest, ATemporaryDirectoryThatCannotBeRemovedIsNotSpokenOf) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        GTEST_SKIP() << "no mount namespace";
    fs::path temporary = home() / "tmp", loom = temporary / "loom.nodeA.app1";
    fs::create_directories(loom);
    for (const fs::path& place : {temporary, loom})
        ASSERT_EQ(::mount(place.c_str(), place.c_str(), nullptr, MS_BIND, nullptr), 0);
    set_environment("OVNI_TMPDIR", temporary);
    run_traced(record_one);
    for (const fs::path& place : {loom, temporary}) ::umount(place.c_str());
    EXPECT_EQ(printed_errors(), "");
    EXPECT_EQ(codes(), "OB.");
}

TEST_F(DiskTest, DirectoriesThatOthersRemoveAreMadeAgain) {
    const std::string root = home() / "tmp";
    fs::create_directory(root);
    std::atomic<int> missed = 0;
    std::vector<std::thread> team;
    for (const char* process : {"/proc.1", "/proc.2", "/proc.3"})
        team.emplace_back([&, place = "/loom.a" + std::string(process)] {
            for (int round = 0; round < 500; ++round) {
                missed += !writer::make_directory(root + place);
                writer::remove_empty(root, place);
            }
        });
    for (std::thread& thread : team) thread.join();
    EXPECT_EQ(missed, 0);
    EXPECT_TRUE(fs::is_empty(root));
}

TEST_F(DiskTest, TemporaryStreamsMoveAtExit) {
    set_environment("OVNI_TMPDIR", home() / "tmp");
    run_traced([] {
        start();
        put("OB.", 1);
    });
    EXPECT_EQ(codes(), "OB.");
    EXPECT_EQ(stream().json["ovni"]["end"]["code"], 0);
}

TEST_F(DiskTest, FullFileLosesWholeEventsAndSaysSo) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    constexpr uint64_t count = 200000;
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        limit_file_size(100001);
        for (uint64_t i = 0; i < count; ++i) put("OB.", i);
        stop();
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), ::testing::MatchesRegex("ERROR: [a-z_]+: .*: File too large\n"));
    RecordedStream recorded = stream();
    uint64_t kept = recorded.events.size();
    EXPECT_EQ(kept, (100001u - 8) / 12);
    EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
    EXPECT_EQ(recorded.json["ovni"]["lost"], count - kept);
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps;
    const auto& gap = recorded.gaps["gaps"][0];
    EXPECT_EQ(gap["offset"], recorded.bytes.size());
    EXPECT_EQ(gap["from"], kept);
    EXPECT_EQ(gap["to"], count - 1);
    EXPECT_EQ(gap["lost"], count - kept);
    EXPECT_EQ(gap["reason"], "error");
}

TEST_F(DiskTest, FileSizeSignalDoesNotEndTheProgram) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    run_traced([] {
        start();
        limit_file_size(50000);
        for (uint64_t i = 0; i < 10000; ++i) put("OB.", i);
        stop();
        ::exit(5);
    });
    EXPECT_EQ(status(), 5);
    EXPECT_EQ(stream().events.size(), (50000u - 8) / 12);
}

// More than half of the smallest buffer, but not all of it.
constexpr const char* small_buffer = "256k";
constexpr uint64_t too_many_to_wait = 12'000;

// Whoever recovers the stream knows nothing but what the ring says.
TEST_F(DiskTest, WhatIsLostIsAGapIfThatCouldNotBeWrittenEither) {
    constexpr uint64_t count = too_many_to_wait;
    set_environment("OVNI_BUFFER", small_buffer);
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        limit_file_size(OVNI_FORMAT_STREAM_HEADER);
        for (uint64_t part = 0; part < 2; ++part) {
            for (uint64_t i = 0; i < count; ++i) put("OB.", 1 + part * count + i);
            ovni_flush();
        }
        ::raise(SIGKILL);
    });
    const Finished done = recover();
    EXPECT_EQ(done.status, 0) << done.err;
    const RecordedStream recorded = stream();
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps;
    const auto& gap = recorded.gaps["gaps"][0];
    EXPECT_EQ(gap["offset"], OVNI_FORMAT_STREAM_HEADER);
    EXPECT_EQ(gap["reason"], "error");
    EXPECT_EQ(gap["lost"], recorded.json["ovni"]["lost"]);
    EXPECT_GE(gap["lost"], count / 3);
    EXPECT_EQ(gap["lost"].get<uint64_t>() + recorded.events.size(), 2 * count + 2);
}

TEST_F(DiskTest, AGapThatFoundNoRoomIsWrittenWhenThereIs) {
    constexpr uint64_t count = too_many_to_wait;
    set_environment("OVNI_BUFFER", small_buffer);
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        rlimit limit{OVNI_FORMAT_STREAM_HEADER, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &limit);
        for (uint64_t i = 0; i < count; ++i) put("OB.", 1 + i);
        ovni_flush();
        limit.rlim_cur = RLIM_INFINITY;
        setrlimit(RLIMIT_FSIZE, &limit);
        put("OU[", 1000000000000000);
        stop();
    });
    const RecordedStream recorded = stream();
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps;
    const auto& gap = recorded.gaps["gaps"][0];
    EXPECT_EQ(gap["offset"], OVNI_FORMAT_STREAM_HEADER);
    EXPECT_EQ(gap["lost"], recorded.json["ovni"]["lost"]);
    EXPECT_GE(gap["lost"], count / 3);
    EXPECT_EQ(gap["lost"].get<uint64_t>() + count_of(recorded, "OB."), count);
    EXPECT_EQ(recorded.events.back().code, "OU[");
}

TEST_F(DiskTest, EventsWaitInMemoryUntilThereIsRoomAgain) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    for (const char* flight : {"0", "1M"}) {
        set_environment("OVNI_FLIGHT", flight);
        fs::remove_all(trace());
        run_traced([] {
            signal(SIGXFSZ, SIG_IGN);
            start();
            file_size(1000);
            for (int part = 0; part < 3; ++part) {
                for (uint64_t i = 0; i < 100; ++i) put("OB.", 1 + i);
                ovni_flush();
                std::this_thread::sleep_for(std::chrono::milliseconds(150));
            }
            file_size(RLIM_INFINITY);
            put("OU[", 1000000000000000);
            stop();
        });
        EXPECT_THAT(printed_errors(),
                    ::testing::MatchesRegex("ERROR: [a-z_]+: .*they stay in memory while there is room.*\n"));
        const RecordedStream recorded = stream();
        EXPECT_EQ(count_of(recorded, "OB."), 300u);
        EXPECT_EQ(recorded.events.back().code, "OU[");
        EXPECT_FALSE(recorded.json["ovni"].contains("lost")) << recorded.json;
        EXPECT_TRUE(recorded.gaps.is_discarded()) << recorded.gaps;
    }
}

TEST_F(DiskTest, AFlushTriesTheDiskAtOnce) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    run_traced([this] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        file_size(1000);
        for (uint64_t i = 0; i < 1000; ++i) put("OB.", 1 + i);
        ovni_flush();
        file_size(RLIM_INFINITY);
        ovni_flush();
        const auto written = std::filesystem::file_size(stream().directory / "stream.obs");
        ::_exit(written >= 12'000 ? 0 : 1);
    });
    EXPECT_EQ(status(), 0);
}

// A jumbo event needs more room than there is next to the events that wait.
TEST_F(DiskTest, EventsThatWaitMakeRoomForALargeOne) {
    set_environment("OVNI_BUFFER", small_buffer);
    const std::vector<uint8_t> large(200'000);
    run_traced([&] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        file_size(1000);
        for (uint64_t i = 0; i < 8000; ++i) put("OB.", 1 + i);
        ovni_flush();
        ovni_ev event{};
        ovni_ev_set_mcv(&event, "OUx");
        ovni_ev_set_clock(&event, 9000);
        ovni_ev_jumbo_emit(&event, large.data(), static_cast<uint32_t>(large.size()));
        file_size(RLIM_INFINITY);
        stop();
    });
    const RecordedStream recorded = stream();
    // It is in the stream, or was in the ring.
    EXPECT_EQ(recorded.json["ovni"].value("lost", 0) + recorded.events.size(), 8000u + 2 + 1);
    EXPECT_THAT(recorded.gaps.is_discarded() ? "" : recorded.gaps.dump(), Not(HasSubstr("memory")));
}

// Those of events that the flight recorder keeps stay there with them.
TEST_F(DiskTest, GapsInAFlightRecorderTakeNoRoomFromWhatWaits) {
    set_environment("OVNI_FLIGHT", "1M");
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        for (uint64_t i = 1; i <= 400; ++i) {
            put("OB.", 10 * i);
            ovni_private_gap(10 * i, 10 * i + 1, 0, "paused");
        }
        file_size(1000);
        ovni_flush();
        file_size(RLIM_INFINITY);
        put("OU[", 1000000000000000);
        stop();
    });
    // So many as it keeps gaps of.
    EXPECT_GE(count_of(stream(), "OB."), 200u);
}

TEST_F(DiskTest, GapsBehindWhatWaitsDoNotCostIt) {
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        file_size(1000);
        for (uint64_t i = 1; i <= 5000; ++i) put("OB.", i);
        for (uint64_t i = 0; i < 300; ++i) ovni_private_gap(6000 + 10 * i, 6001 + 10 * i, 0, "paused");
        ovni_flush();
        file_size(RLIM_INFINITY);
        put("OU[", 1000000000000000);
        stop();
    });
    EXPECT_EQ(count_of(stream(), "OB."), 5000u);
    EXPECT_EQ(stream().gaps["gaps"].size(), 300u);
}

void emit_in_handler(int) {
    emit("OB.");
}

TEST_F(DiskTest, TheLimitHoldsAmongEventsOfHandlers) {
    set_environment("OVNI_STREAM", "plain");  // with known sizes
    set_environment("OVNI_LIMIT", "1M");
    run_traced([] {
        identify();
        ovni_private_thread_open();
        signal(SIGALRM, emit_in_handler);
        const itimerval often{{0, 50}, {0, 50}};
        setitimer(ITIMER_REAL, &often, nullptr);
        for (int i = 0; i < 200'000; ++i) emit("OB.");
        const itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        ovni_private_close_all(nullptr, 0);
    });
    const RecordedStream recorded = stream();
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u) << recorded.gaps.dump().substr(0, 1000);
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "limit");
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.bytes.size());
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"], recorded.json["ovni"]["lost"]);
    EXPECT_GT(recorded.bytes.size(), 1'000'000u);
}

TEST_F(DiskTest, AWriteOutSaysThatThereIsNoRoom) {
    set_environment("OVNI_RUNDIR", home());
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        file_size(1000);
        for (uint64_t i = 0; i < 1000; ++i) put("OB.", 1 + i);
        const Finished done = run({program("ovnirecover"), "--write-out", "--all", "--yes"});
        ::_exit(done.status == 1 && done.err.find("the disk has no room for 1 streams") != done.err.npos ? 0
                                                                                                         : 1);
    });
    EXPECT_EQ(status(), 0);
}

// A flush waits for the disk, and must not where that refuses.
TEST_F(DiskTest, NothingWaitsForADiskThatIsFull) {
    set_environment("OVNI_BUFFER", small_buffer);
    constexpr uint64_t rounds = 300, each = 200;
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        limit_file_size(1000);
        const uint64_t began = ovni_clock_now();
        for (uint64_t round = 0; round < rounds; ++round) {
            for (uint64_t i = 0; i < each; ++i) put("OB.", ovni_clock_now());
            ovni_flush();
        }
        const uint64_t seconds = (ovni_clock_now() - began) / 1'000'000'000;
        stop();
        ::exit(static_cast<int>(std::min<uint64_t>(seconds, 100)));
    });
    // Each of these flushes would wait for two seconds.
    EXPECT_LT(status(), 60);
    const RecordedStream recorded = stream();
    // The pair of the last flush comes with the next event.
    EXPECT_EQ(recorded.json["ovni"]["lost"].get<uint64_t>() + recorded.events.size(),
              rounds * (each + 2) - 2);
}

// A file that is written anew finds no room next to the old one, nor over it.
TEST_F(DiskTest, FileSizeSignalOfMetadataDoesNotEndTheProgram) {
    run_traced([] {
        start();
        ovni_mark_type(1, 0, "many");
        limit_file_size(40'000);
        const std::string label(399, 'a');
        for (int i = 1; i < 400; ++i) ovni_mark_label(1, i, label.c_str());
        stop();
        ::exit(6);
    });
    EXPECT_EQ(status(), 6) << printed_errors();
}

TEST_F(DiskTest, TraceThatCannotBeMadeIsToldOncePerKind) {
    std::ofstream(home() / "ovni") << "a file is in the way";
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        ovni_thread_init(test_tid);
        for (uint64_t i = 0; i < 200000; ++i) put("OB.", i);
        ovni_attr_flush();
        stop();
        ::exit(7);
    });
    EXPECT_EQ(status(), 7);
    EXPECT_THAT(printed_errors(), HasSubstr("cannot make directory"));
    EXPECT_LE(std::count(printed_errors().begin(), printed_errors().end(), '\n'), 4) << printed_errors();
}

}  // namespace
}  // namespace ovni::test
