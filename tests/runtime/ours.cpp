// Streams that our own libraries open (ovni/private.h): in memory until the first block, who they belong to.
#include "tests/runtime/ours.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"

namespace ovni::test {
namespace {

using OursTest = RuntimeTest;

TEST_F(OursTest, NothingRecordedLeavesNothing) {
    run_traced([] {
        int wrong = ovni_private_thread_open() != 1;
        wrong += ovni_private_thread_is_ours() != 1;
        ovni_private_require("mpi", "1.0.0");
        identify();
        ovni_private_flush_all();
        ovni_private_close_all(nullptr, 0);
        wrong += ovni_private_thread_open() != 0;
        wrong += ovni_private_thread_is_ours() != 0;
        ::exit(wrong);
    });
    EXPECT_EQ(status(), 0);
    EXPECT_FALSE(std::filesystem::exists(trace()));
}

TEST_F(OursTest, IdentityMayComeAfterTheFirstEvents) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        emit("MUI");
        ovni_private_require("mpi", "1.0.0");
        ovni_private_require("mpi", "1.1.0");
        ovni_private_require("mpi", "1.0.0");
        identify();
        ovni_private_close_all(nullptr, 0);
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx MUi MUI OHe");
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_EQ(recorded.events[0].argument<int32_t>(4), -1);
    EXPECT_EQ(recorded.events[0].argument<uint64_t>(8), 0u);
    const auto& ovni = recorded.json["ovni"];
    EXPECT_EQ(ovni["app_id"], 3);
    EXPECT_EQ(ovni["loom"], "host.us");
    EXPECT_EQ(ovni["run"], "run.1");
    EXPECT_EQ(ovni["rank"], 2);
    EXPECT_EQ(ovni["nranks"], 4);
    EXPECT_EQ(ovni["loom_cpus"].dump(),
              R"([{"index":0,"phyid":0},{"index":1,"phyid":1},{"index":2,"phyid":2},{"index":3,"phyid":3}])");
    EXPECT_EQ(ovni["require"].dump(), R"({"ovni":"1.1.0","mpi":"1.1.0"})");
    EXPECT_EQ(ovni["finished"], 1);
    EXPECT_FALSE(ovni.contains("end"));
    EXPECT_EQ(recorded.directory.filename(), "thread." + std::to_string(ovni["tid"].get<int>()));
}

TEST_F(OursTest, TheSystemIsAskedIfThereIsNoIdentity) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
    });
    const RecordedStream recorded = stream();
    const auto& ovni = recorded.json["ovni"];
    EXPECT_EQ(recorded.codes(), "OHx MUi OHe");
    EXPECT_EQ(ovni["app_id"], 1);
    EXPECT_EQ(ovni["loom"], host());
    EXPECT_FALSE(ovni.contains("rank"));
    EXPECT_FALSE(ovni.contains("run"));
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    EXPECT_EQ(ovni["loom_cpus"].size(), static_cast<size_t>(CPU_COUNT(&mask)));
    EXPECT_EQ(ovni["end"]["by"], "exit");
}

TEST_F(OursTest, ThreadBoundToOneCpuRunsThere) {
    run_traced([] {
        int cpu = sched_getcpu();
        cpu_set_t mask;
        CPU_ZERO(&mask);
        CPU_SET(static_cast<size_t>(cpu), &mask);
        sched_setaffinity(0, sizeof mask, &mask);
        ovni_private_thread_open();
        emit("MUi");
        identify({cpu, cpu + 1, cpu + 5});
        ovni_private_move_to_cpu(cpu);
        ovni_private_move_to_cpu(cpu + 5);
        ovni_private_move_to_cpu(cpu + 5);
        ovni_private_move_to_cpu(cpu + 2);
        ovni_private_move_to_cpu(cpu);
        ovni_private_close_all(nullptr, 0);
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "OHx MUi OAs OAs OHe");
    EXPECT_EQ(recorded.events[0].argument<int32_t>(0), 0);
    EXPECT_EQ(recorded.events[2].argument<int32_t>(0), 2);
    EXPECT_EQ(recorded.events[3].argument<int32_t>(0), 0);
}

TEST_F(OursTest, ThreadBoundOutsideOfTheIdentityIsOnTheVirtualCpu) {
    run_traced([] {
        int cpu = sched_getcpu();
        cpu_set_t mask;
        CPU_ZERO(&mask);
        CPU_SET(static_cast<size_t>(cpu), &mask);
        sched_setaffinity(0, sizeof mask, &mask);
        ovni_private_thread_open();
        emit("MUi");
        identify({cpu + 1});
        ovni_private_close_all(nullptr, 0);
    });
    EXPECT_EQ(stream().events[0].argument<int32_t>(0), -1);
}

TEST_F(OursTest, CloseSaysWhoEndedTheProgram) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        ovni_private_close_all("signal", 15);
        emit("BAD");
        ::exit(2);
    });
    EXPECT_EQ(codes(), "OHx MUi OHe");
    EXPECT_EQ(stream().json["ovni"]["end"]["by"], "signal");
    EXPECT_EQ(stream().json["ovni"]["end"]["code"], 15);
    EXPECT_EQ(stream().json["ovni"]["end"]["clock"], stream().events.back().clock);
}

TEST_F(OursTest, ThreadsThatReturnEndInOrder) {
    run_traced([] {
        identify();
        std::thread([] {
            ovni_private_thread_open();
            emit("MUi");
        }).join();
        ::_exit(0);
    });
    EXPECT_EQ(codes(), "OHx MUi OHe");
    EXPECT_FALSE(stream().json["ovni"].contains("end"));
}

TEST_F(OursTest, CloseAllReachesOtherThreadsWhileTheyEmit) {
    run_traced([] {
        identify();
        std::atomic<int> running{0};
        for (int t = 0; t < 3; ++t)
            std::thread([&running] {
                for (bool first = true; ovni_private_thread_open(); first = false) {
                    emit("MUi");
                    running += first;
                }
                pause();
            }).detach();
        while (running < 3) sched_yield();
        ovni_private_flush_all();
        ovni_private_close_all(nullptr, 0);
        ::exit(0);
    });
    ASSERT_EQ(streams().size(), 3u);
    for (const RecordedStream& recorded : streams()) {
        EXPECT_EQ(recorded.events.front().code, "OHx");
        EXPECT_EQ(recorded.events.back().code, "OHe");
        EXPECT_TRUE(recorded.clocks_never_decrease());
        EXPECT_EQ(recorded.json["ovni"]["rank"], 2);
    }
}

TEST_F(OursTest, GapsNameTheEventThatFollows) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        ovni_private_gap(1, 2, 0, "paused");
        emit("MUi");
        ovni_private_gap(10, 20, 5, "paused");
        ovni_private_flush_all();
        emit("MUI");
        ovni_private_gap(30, UINT64_MAX, 0, "off");
        ovni_private_close_all(nullptr, 0);
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "OHx MUi MUI OHe");
    const auto& gaps = recorded.gaps["gaps"];
    ASSERT_EQ(gaps.size(), 3u);
    EXPECT_EQ(gaps[0].dump(), R"({"offset":36,"from":1,"to":2,"lost":0,"reason":"paused"})");
    EXPECT_EQ(gaps[1]["offset"], recorded.events[2].offset);
    EXPECT_EQ(gaps[1]["lost"], 5);
    EXPECT_EQ(gaps[2].dump(), R"({"offset":60,"from":30,"lost":0,"reason":"off"})");
}

TEST_F(OursTest, GapsAmongLostEventsBecomePartOfTheLoss) {
    set_environment("OVNI_BUFFER", "256k");
    run_traced([] {
        signal(SIGXFSZ, SIG_IGN);
        identify();
        ovni_private_thread_open();
        emit("MUi");
        ovni_private_flush_all();
        rlimit limit{100, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 0; i < 6000; ++i) emit("MUI");
        uint64_t from = ovni_clock_now();
        ovni_private_gap(from, ovni_clock_now(), 0, "paused");
        for (int i = 0; i < 6000; ++i) emit("MUi");
        ovni_private_flush_all();
        limit.rlim_cur = RLIM_INFINITY;
        setrlimit(RLIMIT_FSIZE, &limit);
        ovni_private_gap(ovni_clock_now(), UINT64_MAX, 0, "paused");
        ovni_private_close_all(nullptr, 0);
    });
    RecordedStream recorded = stream();
    const auto& gaps = recorded.gaps["gaps"];
    ASSERT_GE(gaps.size(), 1u);
    for (size_t i = 1; i < gaps.size(); ++i) {
        EXPECT_GE(gaps[i]["offset"], gaps[i - 1]["offset"]);
        EXPECT_GE(gaps[i]["from"].get<uint64_t>(), gaps[i - 1].value("to", UINT64_MAX));
    }
    EXPECT_EQ(gaps[0]["reason"], "error");
    EXPECT_GT(gaps[0]["lost"], 0);
}

TEST_F(OursTest, GapAfterAFlushStandsBehindItsPair) {
    run_traced([] {
        start();
        put_begin(1);
        ovni_flush();
        ovni_private_gap(1, 2, 3, "paused");
        put("OHe", ovni_clock_now());
        stop();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "OHx OF[ OF] OHe");
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.events[3].offset);
}

TEST_F(OursTest, MarksMayBeToldAgainAndLabelsAreCut) {
    run_traced([] {
        identify();
        ovni_private_thread_open();
        ovni_private_mark_type(99, OVNI_MARK_STACK, "regions");
        ovni_private_mark_type(99, 0, "other");
        ovni_private_mark_type(98, OVNI_MARK_PUNCTUAL, "instants");
        ovni_private_mark_type(100, 0, "none");
        ovni_private_mark_label(99, 5, "five");
        ovni_private_mark_label(99, 5, "cinco");
        ovni_private_mark_label(99, 0, "zero");
        std::string label = std::string(510, 'x') + "\xc3\xa9";
        ovni_private_mark_label(99, 6, label.c_str());
        ovni_mark_push(99, 5);
    });
    const auto mark = stream().json["ovni"]["mark"];
    EXPECT_EQ(mark.size(), 2u);
    EXPECT_EQ(mark["99"]["title"], "regions");
    EXPECT_EQ(mark["99"]["chan_type"], "stack");
    EXPECT_EQ(mark["99"]["labels"], (nlohmann::ordered_json{{"5", "five"}, {"6", std::string(510, 'x')}}));
    EXPECT_EQ(mark["98"].dump(), R"({"title":"instants","chan_type":"single","punctual":true})");
}

TEST_F(OursTest, TraceDirectoryIsTheOneOfTheEnvironment) {
    run_traced([this] { ::exit(trace() != ovni_private_trace_directory()); });
    EXPECT_EQ(status(), 0);
}

TEST_F(OursTest, MoreThanTheBufferHoldsStartsWithOurBegin) {
    constexpr size_t count = 200000;
    run_traced([] {
        ovni_private_thread_open();
        for (size_t i = 0; i < count; ++i) emit("MUi");
    });
    EXPECT_EQ(stream().events.size(), count + 2);
    EXPECT_EQ(stream().events.front().code, "OHx");
}

}  // namespace
}  // namespace ovni::test
