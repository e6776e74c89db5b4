// The flight recorder: the newest events of a thread, written when somebody wants them.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

constexpr uint64_t kept = 64 << 10;
constexpr const char* kill_target = BUILD_DIR "/tests/runtime_kill_target";

// Nothing is missing but what gaps stand for: numbers of OB. in a row from 0.
void expect_flight_counted(const RecordedStream& stream, uint64_t count) {
    uint64_t number = 0;
    size_t gap = 0;
    auto gaps = stream.gaps.is_object() ? stream.gaps["gaps"] : nlohmann::ordered_json::array();
    for (const RecordedEvent& event : stream.events) {
        for (; gap < gaps.size() && gaps[gap]["offset"] == event.offset; ++gap)
            number += gaps[gap]["lost"].get<uint64_t>();
        if (event.code != "OB.") continue;
        ASSERT_EQ(event.argument<uint64_t>(0), number++);
    }
    EXPECT_EQ(number, count);
    EXPECT_EQ(gap, gaps.size());
}

class FlightTest : public RuntimeTest {
 protected:
    FlightTest() {
        set_environment("OVNI_FLIGHT", "64k");
        set_environment("OVNI_RUNDIR", home());
    }
    static void count_from(uint64_t first, uint64_t end) {
        for (uint64_t i = first; i < end; ++i) emit("OB.", i);
    }
    static void begin() {
        start();
        ovni_add_cpu(0, 0);
        emit("OHx", 0, -1, uint64_t{0});
    }
    static void end() {
        emit("OHe");
        stop();
    }
    void expect_accepted() {
        Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
    }
};

TEST_F(FlightTest, OnlyTheNewestEventsAreWritten) {
    constexpr uint64_t count = 3'000'000;
    run_traced([] {
        begin();
        count_from(0, count);
        end();
    });
    ASSERT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    expect_flight_counted(recorded, count);
    EXPECT_LE(recorded.bytes.size(), kept + 8 + 40);
    EXPECT_GE(recorded.bytes.size(), kept);
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u);
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "flight");
    EXPECT_EQ(recorded.gaps["gaps"][0]["offset"], recorded.events[1].offset);
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_FALSE(recorded.json["ovni"].contains("lost"));
    expect_accepted();
}

TEST_F(FlightTest, WhatFitsIsAllThere) {
    run_traced([] {
        begin();
        count_from(0, 1000);
        end();
    });
    expect_flight_counted(stream(), 1000);
    EXPECT_FALSE(stream().gaps.is_object());
}

TEST_F(FlightTest, WhatGivesMeaningToTheRestStays) {
    run_traced([] {
        begin();
        for (uint64_t round = 0; round < 10; ++round) {
            count_from(round * 100'000, (round + 1) * 100'000);
            emit("OHp");
            emit("OHr");
            emit("OAs", 0);
            uint64_t now = ovni_clock_now();
            put("OU[", now);
            put("OU]", now);
            ovni_ev jumbo = ::ovni::test::event("VYc", now);
            ovni_ev_jumbo_emit(&jumbo, reinterpret_cast<const uint8_t*>("type"), 5);
        }
        end();
    });
    RecordedStream recorded = stream();
    expect_flight_counted(recorded, 1'000'000);
    std::map<std::string, int> count;
    for (const RecordedEvent& event : recorded.events) ++count[event.code];
    for (const char* code : {"OHp", "OHr", "OAs", "OU[", "OU]", "VYc"}) EXPECT_EQ(count[code], 10) << code;
}

TEST_F(FlightTest, LargeDefinitionsPassThroughTheSmallestRecorder) {
    run_traced([] {
        begin();
        std::vector<uint8_t> data(OVNI_MAX_EV_BUF - 100, 'j');
        for (uint64_t i = 0; i < 8; ++i) {
            ovni_ev jumbo = ::ovni::test::event("VYc", ovni_clock_now());
            ovni_ev_jumbo_emit(&jumbo, data.data(), static_cast<uint32_t>(data.size()));
            emit("OB.", i);
        }
        end();
    });
    RecordedStream recorded = stream();
    expect_flight_counted(recorded, 8);
    EXPECT_EQ(recorded.codes(), "OHx VYc VYc VYc VYc VYc VYc VYc VYc OB. OHe");
}

TEST_F(FlightTest, ADefinitionLargerThanTheRestOfTheRingIsWritten) {
    set_environment("OVNI_FLIGHT", "1M");
    set_environment("OVNI_BUFFER", "256k");
    run_traced([] {
        begin();
        count_from(0, 200'000);
        std::vector<uint8_t> data(600'000, 'j');
        for (int i = 0; i < 3; ++i) {
            ovni_ev jumbo = ::ovni::test::event("VYc", ovni_clock_now());
            ovni_ev_jumbo_emit(&jumbo, data.data(), static_cast<uint32_t>(data.size()));
        }
        end();
    });
    RecordedStream recorded = stream();
    expect_flight_counted(recorded, 200'000);
    EXPECT_FALSE(recorded.json["ovni"].contains("lost"));
    EXPECT_GT(recorded.bytes.size(), 1'800'000u);
}

TEST_F(FlightTest, WhatIsAskedForIsWrittenAtOnce) {
    run_traced([this] {
        begin();
        count_from(0, 100'000);
        ovni_flush();
        RecordedStream first = stream();
        EXPECT_EQ(first.events.back().argument<uint64_t>(0), 99'999u);
        EXPECT_GE(first.bytes.size(), kept);
        count_from(100'000, 200'000);
        std::thread([] { ovni_private_flush_all(); }).join();
        EXPECT_EQ(stream().events.back().argument<uint64_t>(0), 199'999u);
        count_from(200'000, 300'000);
        end();
        ::exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_GE(recorded.bytes.size(), 3 * kept);
    EXPECT_LE(recorded.bytes.size(), 3 * kept + 4096);
    EXPECT_EQ(recorded.gaps["gaps"].size(), 3u);
    expect_accepted();
}

TEST_F(FlightTest, OvnirecoverWritesOutARunningProgram) {
    run_traced([this] {
        begin();
        count_from(0, 100'000);
        Finished asked = run({program("ovnirecover"), "--write-out", "--all", "--yes"},
                             {"OVNI_RUNDIR=" + home().string()});
        EXPECT_EQ(asked.status, 0) << asked.err;
        EXPECT_THAT(asked.out, ::testing::HasSubstr(": 1 streams written out"));
        expect_flight_counted(stream(), 100'000);
        end();
        ::exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_flight_counted(stream(), 100'000);
}

// A program that hangs after its first calls of MPI, so to speak, in threads that are there and one that
// comes.
TEST_F(FlightTest, OvnirecoverWritesOutTheFewEventsOfOurs) {
    run_traced([this] {
        ovni_private_thread_open();
        ovni_private_identity identity{};
        identity.app = 1;
        identity.loom = test_loom;
        ovni_private_identify(&identity);
        std::thread([] {
            ovni_private_thread_open();
            for (uint64_t i = 0; i < 100; ++i) emit("OB.", i);
        }).join();
        for (uint64_t i = 0; i < 100; ++i) emit("OB.", i);
        Finished asked = run({program("ovnirecover"), "--write-out", "--all", "--yes"},
                             {"OVNI_RUNDIR=" + home().string()});
        EXPECT_EQ(asked.status, 0) << asked.err;
        EXPECT_EQ(asked.err, "");
        EXPECT_EQ(streams().size(), 2u);
        for (const RecordedStream& recorded : streams()) EXPECT_GE(recorded.events.size(), 101u);
        ::exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

TEST_F(FlightTest, LessMemoryKeepsLess) {
    set_environment("OVNI_FLIGHT", "8M");
    set_environment("OVNI_BUFFER_TOTAL", "4M");
    run_traced([] {
        begin();
        count_from(0, 1'000'000);
        end();
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), ::testing::HasSubstr("keeps only"));
    expect_flight_counted(stream(), 1'000'000);
    EXPECT_GE(stream().bytes.size(), size_t{1} << 20);
    EXPECT_LE(stream().bytes.size(), size_t{4} << 20);
}

TEST_F(FlightTest, MorePausesThanThereIsRoomForLeaveAnAcceptedTrace) {
    constexpr uint64_t count = 2000;
    run_traced([] {
        begin();
        for (uint64_t i = 0; i < count; ++i) {
            count_from(i, i + 1);
            uint64_t now = ovni_clock_now();
            ovni_private_gap(now, now + 1, 0, "paused");
        }
        end();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    expect_flight_counted(recorded, count);
    EXPECT_GE(recorded.gaps["gaps"].size(), 200u);
    expect_accepted();
}

TEST_F(FlightTest, AWrongSizeIsReportedAndAllIsWritten) {
    set_environment("OVNI_FLIGHT", "much");
    run_traced([] {
        begin();
        count_from(0, 100'000);
        end();
    });
    EXPECT_THAT(printed_errors(), ::testing::HasSubstr("OVNI_FLIGHT is no size: much"));
    expect_flight_counted(stream(), 100'000);
    EXPECT_FALSE(stream().gaps.is_object());
}

// Killed at random moments, below ovnirun or alone and recovered.
class KilledInFlight : public FlightTest, public testing::WithParamInterface<bool> {
 protected:
    std::string acknowledged() const { return (home() / "acknowledged").string(); }
    uint64_t number(size_t at) const {
        uint64_t value = 0;
        std::string bytes = file_content(acknowledged());
        if (bytes.size() >= (at + 1) * 64) memcpy(&value, bytes.data() + at * 64, sizeof value);
        return value;
    }
};

TEST_P(KilledInFlight, TheNewestEventsAreThere) {
    pid_t parent = fork();
    if (parent == 0) {
        setenv("OVNI_FLIGHT", "64k", 1);
        setenv("OVNI_RUNDIR", home().c_str(), 1);
        setenv("OVNI_TRACEDIR", trace().c_str(), 1);
        unsetenv("OVNI_SESSION");
        if (GetParam())
            execl(program("ovnirun").c_str(), "ovnirun", kill_target, acknowledged().c_str(), "2", nullptr);
        else
            execl(kill_target, "kill_target", acknowledged().c_str(), "2", nullptr);
        _exit(127);
    }
    while (number(1) < 100'000 || number(2) < 100'000)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(static_cast<pid_t>(number(0)), SIGKILL);
    waitpid(parent, nullptr, 0);
    if (!GetParam()) {
        EXPECT_EQ(recover().status, 0);
    }
    std::vector<RecordedStream> all = streams();
    ASSERT_EQ(all.size(), 2u);
    for (const RecordedStream& recorded : all) {
        size_t thread = recorded.json["ovni"]["tid"].get<size_t>() - number(0);
        EXPECT_GE(recorded.events.back().argument<uint64_t>(0), number(thread + 1));
        EXPECT_GE(recorded.bytes.size(), kept);
        EXPECT_LE(recorded.bytes.size(), kept + 4096);
        EXPECT_EQ(recorded.gaps["gaps"].size(), 1u);
        EXPECT_TRUE(recorded.json["ovni"].contains("end"));
    }
    expect_accepted();
}

INSTANTIATE_TEST_SUITE_P(Launch, KilledInFlight, testing::Bool(),
                         [](const auto& below) { return below.param ? "BelowOvnirun" : "Alone"; });

}  // namespace
}  // namespace ovni::test
