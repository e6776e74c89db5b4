// The places of streams, and disks that refuse: the program goes on, and the trace says what is missing.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "ring/directories.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using DiskTest = RuntimeTest;

void record_one() {
    start();
    put("OB.", 1);
    stop();
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

TEST_F(DiskTest, WithoutEnvironmentTheTraceIsCalledOvni) {
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

// Whoever recovers the stream knows nothing but what the ring says.
TEST_F(DiskTest, WhatIsLostIsAGapIfThatCouldNotBeWrittenEither) {
    constexpr uint64_t count = 1000;
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
    EXPECT_GE(gap["lost"], count);
    EXPECT_GE(gap["to"], count);
}

TEST_F(DiskTest, AGapThatFoundNoRoomIsWrittenWhenThereIs) {
    constexpr uint64_t count = 1000;
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
    EXPECT_GE(gap["lost"], count);
    EXPECT_EQ(recorded.events.back().code, "OU[");
}

TEST_F(DiskTest, WritingGoesOnWhenThereIsRoomAgain) {
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        start();
        rlimit limit{1000, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &limit);
        for (uint64_t i = 0; i < 100; ++i) put("OB.", i);
        ovni_flush();
        limit.rlim_cur = RLIM_INFINITY;
        setrlimit(RLIMIT_FSIZE, &limit);
        put("OU[", 1000000000000000);
        stop();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.events.size(), 82u + 2 + 1);
    EXPECT_EQ(recorded.events[82].code, "OF[");
    EXPECT_EQ(recorded.json["ovni"]["lost"], 18);
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.events[82].offset);
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
