// Recording off and on again (runtime/gate.hpp): what gets into the streams, and that an emulator accepts it.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "ovni/control.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "runtime/ours.hpp"

namespace ovni::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void pause() {
    ovni_private_pause(1);
}
void go_on() {
    ovni_private_pause(0);
}

// As libovni-mpi does, which makes the gate follow states.
void no_states_of_mpi(int, uint64_t) {}
void follow() {
    ovni_private_follow_recording(no_states_of_mpi);
}

void begin_program(pid_t tid = test_tid, bool follows = true) {
    if (follows) follow();
    start(tid);
    ovni_thread_require("nosv", "2.4.0");
    ovni_add_cpu(0, 0);
    emit("OHx", int32_t{0}, int32_t{-1}, uint64_t{0});
}
void end_program() {
    emit("OHe");
    stop();
}

struct Interval {
    uint64_t from, to;
};

class RecordingTest : public RuntimeTest {
 protected:
    enum class Linter { on, off };
    void expect_accepted(Linter linter = Linter::on) {
        std::string option = linter == Linter::on ? "-l" : "--";
        Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), option, trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
        // It needed no tolerance.
        EXPECT_THAT(done.err, Not(HasSubstr("before it")));
    }
    static std::vector<Interval> intervals(const RecordedStream& stream) {
        std::vector<Interval> found;
        if (!std::filesystem::exists(stream.directory / "stream.gaps.json")) return found;
        for (const auto& gap : stream.gaps["gaps"])
            found.push_back({gap["from"], gap.contains("to") ? gap["to"].get<uint64_t>() : UINT64_MAX});
        return found;
    }
    // No event but those that are never gated lies inside of a gap.
    static void expect_nothing_in_gaps(const RecordedStream& stream) {
        for (const Interval& gap : intervals(stream))
            for (const RecordedEvent& event : stream.events) {
                bool is_always = event.code.starts_with("OH") || event.code.starts_with("OA");
                bool is_inside = event.clock > gap.from && event.clock < gap.to;
                EXPECT_FALSE(is_inside && !is_always) << event.code;
            }
    }
};

TEST_F(RecordingTest, NothingIsRecordedInAPause) {
    run_traced([] {
        begin_program();
        emit("OB.");
        pause();
        for (int i = 0; i < 1000; ++i) emit("OB."), put("OB.", ovni_clock_now());
        go_on();
        emit("OB.");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx OB. OB. OHe");
    auto gaps = intervals(recorded);
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(recorded.gaps["gaps"][0]["reason"], "paused");
    EXPECT_EQ(recorded.gaps["gaps"][0]["lost"], 0);
    EXPECT_GE(gaps[0].from, recorded.events[1].clock);
    EXPECT_GE(gaps[0].to, gaps[0].from);
    EXPECT_LE(gaps[0].to, recorded.events[2].clock);
    expect_accepted();
}

TEST_F(RecordingTest, APauseToTheEndLeavesTheLifeCycle) {
    run_traced([] {
        begin_program();
        emit("OB.");
        pause();
        emit("OB.");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx OB. OHe");
    ASSERT_EQ(intervals(recorded).size(), 1u);
    expect_accepted();
}

TEST_F(RecordingTest, OpenStatesAreClosedAndOpenedAgain) {
    run_traced([] {
        begin_program();
        ovni_mark_type(1, OVNI_MARK_STACK, "phase");
        emit("VHw");
        ovni_mark_push(1, 5);
        emit("VAs");
        pause();
        emit("VAS");
        emit("VAr");
        emit("VAR");
        emit("VAd");
        go_on();
        emit("VAD");
        ovni_mark_pop(1, 5);
        emit("VHW");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx VHw OM[ VAs VAS OM] VHW VHw OM[ VAd VAD OM] VHW OHe");
    auto gaps = intervals(recorded);
    ASSERT_EQ(gaps.size(), 1u);
    for (size_t i : {4, 5, 6}) EXPECT_EQ(recorded.events[i].clock, gaps[0].from);
    for (size_t i : {7, 8, 9}) EXPECT_EQ(recorded.events[i].clock, gaps[0].to);
    EXPECT_EQ(recorded.events[8].argument<int64_t>(0), 5);
    EXPECT_EQ(recorded.events[8].argument<int32_t>(8), 1);
    EXPECT_EQ(recorded.events[5].argument<int32_t>(8), 1);
    expect_accepted();
}

TEST_F(RecordingTest, InstantsDoNotComeBack) {
    run_traced([] {
        begin_program();
        ovni_private_mark_type(98, OVNI_PRIVATE_MARK_PUNCTUAL, "instants");
        ovni_mark_type(1, 0, "phase");
        ovni_mark_set(98, 7);
        ovni_mark_set(1, 3);
        pause();
        go_on();
        end_program();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "OHx OM= OM= OM= OHe");
    EXPECT_EQ(recorded.events[3].argument<int32_t>(8), 1);
}

// Nobody but who stopped recording goes on.
TEST_F(RecordingTest, AStopByOthersIsNoPause) {
    run_traced([] {
        begin_program();
        ovni_control_fire(OVNI_CONTROL_STOP, OVNI_CONTROL_THIS_THREAD, 1);
        go_on();
        emit("OB.");
        ovni_control_fire(OVNI_CONTROL_START, OVNI_CONTROL_THIS_THREAD, 1);
        emit("OB.");
        end_program();
    });
    EXPECT_EQ(codes(), "OHx OB. OHe");
}

TEST_F(RecordingTest, AStartOfAllStartsThreadsThatWereStoppedAlone) {
    set_environment("OVNI_CONTROL", "threadid:pcontrol:never");
    set_environment("OVNI_CONTROL_SCOPE", "thread");
    run_traced([] {
        begin_program();
        ovni_control_fire(OVNI_CONTROL_STOP, OVNI_CONTROL_THIS_THREAD, 0);
        emit("OB.");
        ovni_control_fire(OVNI_CONTROL_START, OVNI_CONTROL_THIS_THREAD, 1);
        emit("OB.");
        end_program();
    });
    EXPECT_EQ(codes(), "OHx OB. OHe");
}

TEST_F(RecordingTest, BodiesOfTasksGoOn) {
    run_traced([] {
        begin_program();
        struct {
            uint32_t id = 1;
            char label[8] = "work";
        } type;
        ovni_ev definition = event("VYc", ovni_clock_now());
        ovni_ev_jumbo_emit(&definition, reinterpret_cast<uint8_t*>(&type), 4 + 5);
        auto step = [](EventCode code, uint32_t task) { emit(code, task, uint32_t{0}); };
        emit("VTc", uint32_t{1}, uint32_t{1});
        emit("VTc", uint32_t{2}, uint32_t{1});
        step("VTx", 1);
        emit("VAp");
        step("VTp", 1);
        step("VTx", 2);
        pause();
        emit("VTc", uint32_t{3}, uint32_t{1});
        step("VTe", 2);
        step("VTx", 3);
        go_on();
        step("VTe", 3);
        step("VTr", 1);
        emit("VAP");
        step("VTe", 1);
        end_program();
    });
    EXPECT_EQ(codes(), "OHx VYc VTc VTc VTx VAp VTp VTx VTc VTx VTp VAp VTx VTe VTr VAP VTe OHe");
    expect_accepted();
}

TEST_F(RecordingTest, AThreadThatIsPausedShowsItsStatesWhenItRuns) {
    run_traced([] {
        begin_program();
        emit("VAs");
        pause();
        emit("OHp");
        go_on();
        emit("OHr");
        emit("VAS");
        emit("VAr");
        emit("OHp");
        pause();
        go_on();
        emit("OHr");
        emit("VAR");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx VAs VAS OHp OHr VAs VAS VAr OHp OHr VAr VAR OHe");
    EXPECT_EQ(intervals(recorded).size(), 2u);
    expect_accepted();
}

TEST_F(RecordingTest, AThreadThatBeginsInAPauseIsNotTracedUntilItsEnd) {
    run_traced([] {
        begin_program();
        pause();
        std::thread([] {
            ovni_thread_init(test_tid + 1);
            ovni_thread_require("nosv", "2.4.0");
            emit("OHx", int32_t{0}, int32_t{-1}, uint64_t{0});
            emit("VAs");
            go_on();
            emit("VAS");
            emit("OHe");
            ovni_thread_free();
        }).join();
        emit("OB.");
        end_program();
    });
    std::vector<RecordedStream> all = streams();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].codes(), "OHx OB. OHe");
    EXPECT_EQ(all[1].codes(), "OHx VAs VAS OHe");
    EXPECT_EQ(intervals(all[1]).size(), 1u);
}

TEST_F(RecordingTest, AThreadThatSleepsThroughManyChangesShowsThem) {
    run_traced([] {
        begin_program();
        emit("VAs");
        std::thread([] {
            for (int i = 0; i < 1000; ++i) pause(), go_on();
        }).join();
        emit("VAS");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_GE(intervals(recorded).size(), 100u);
    expect_accepted();
}

TEST_F(RecordingTest, AProgramThatIsKilledInAPauseHasAGapToItsEnd) {
    run_traced([] {
        begin_program();
        emit("VAs");
        pause();
        emit("OB.");
        ::raise(SIGKILL);
    });
    recover();
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OHx VAs VAS");
    ASSERT_EQ(recorded.gaps["gaps"].size(), 1u);
    EXPECT_FALSE(recorded.gaps["gaps"][0].contains("to"));
    expect_accepted(Linter::off);
}

TEST_F(RecordingTest, HandlersAreGatedToo) {
    run_traced([] {
        static std::atomic<int> seen{0};
        begin_program();
        signal(SIGALRM, [](int) { emit("OB."), ++seen; });
        pause();
        itimerval often{{0, 50}, {0, 50}};
        setitimer(ITIMER_REAL, &often, nullptr);
        while (seen < 1000) emit("VAs"), emit("VAS");
        often = {};
        setitimer(ITIMER_REAL, &often, nullptr);
        go_on();
        emit("OB.");
        end_program();
    });
    EXPECT_EQ(codes(), "OHx OB. OHe");
    expect_accepted();
}

TEST_F(RecordingTest, AForkedChildIsPausedLikeItsParent) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    run_traced([] {
        begin_program();
        pause();
        if (fork() == 0) {
            emit("OB.");
            go_on();
            emit("OB.");
            ::exit(0);
        }
        int status = 0;
        ::wait(&status);
        end_program();
    });
    std::vector<RecordedStream> all = streams();
    ASSERT_EQ(all.size(), 2u);
    for (const RecordedStream& one : all) EXPECT_EQ(one.codes().find("OB. OB."), std::string::npos);
}

// States of three models beside each other, opened and closed at random.
void wander(uint32_t seed, const std::atomic<bool>& ends) {
    struct Pair {
        EventCode open, close;
    };
    static constexpr Pair pairs[] = {{"VAs", "VAS"}, {"VAr", "VAR"}, {"VMa", "VMA"}, {"VHd", "VHD"}};
    std::minstd_rand random(seed);
    std::vector<Pair> open;
    while (!ends || !open.empty()) {
        bool opens = !ends && open.size() < 20 && random() % 2 == 0;
        if (opens) open.push_back(pairs[random() % std::size(pairs)]);
        if (opens)
            emit(open.back().open);
        else if (!open.empty())
            emit(open.back().close), open.pop_back();
        if (random() % 64 == 0) emit("OB.");
    }
}

TEST_F(RecordingTest, RandomChangesLeaveTracesThatAreAccepted) {
    const char* mode = getenv("OVNI_BUFFER_MODE");
    uint32_t rounds = mode && std::string(mode) == "shared" ? 20 : 100;
    for (uint32_t seed = 1; seed <= rounds; ++seed) {
        std::filesystem::remove_all(trace());
        run_traced([seed] {
            begin_program();
            std::atomic<bool> ends{false};
            std::vector<std::thread> threads;
            for (uint32_t t = 0; t < 3; ++t)
                threads.emplace_back([&ends, seed, t] {
                    ovni_thread_init(static_cast<pid_t>(test_tid + 1 + t));
                    ovni_thread_require("nosv", "2.4.0");
                    emit("OHx", int32_t{-1}, int32_t{-1}, uint64_t{0});
                    wander(seed * 10 + t, ends);
                    emit("OHe");
                    ovni_thread_free();
                });
            std::minstd_rand random(seed);
            for (int i = 0; i < 20; ++i) {
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                (random() % 2 == 0 ? pause : go_on)();
            }
            ends = true;
            for (std::thread& thread : threads) thread.join();
            end_program();
        });
        ASSERT_EQ(status(), 0);
        for (const RecordedStream& one : streams()) {
            EXPECT_TRUE(one.clocks_never_decrease());
            expect_nothing_in_gaps(one);
        }
        expect_accepted();
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

}  // namespace
}  // namespace ovni::test
