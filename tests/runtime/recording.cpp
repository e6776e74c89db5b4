// Recording off and on again (runtime/gate.hpp): what gets into the streams, and that an emulator accepts it.
#include <thread>

#include "tests/runtime/recording_test.hpp"

namespace ovni::test {
namespace {

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

// Whatever its size: a large one is no single record.
TEST_F(RecordingTest, APauseBeginsNotBeforeTheLastEvent) {
    for (uint32_t bytes : {4U, 100'000U}) {
        run_traced([bytes] {
            begin_program();
            ovni_ev ahead = event("VYc", ovni_clock_now() + 500'000'000);
            ovni_ev_jumbo_emit(&ahead, std::vector<uint8_t>(bytes).data(), bytes);
            pause();
            end_program();
        });
        RecordedStream recorded = stream();
        ASSERT_EQ(recorded.codes(), "OHx VYc OHe");
        ASSERT_EQ(intervals(recorded).size(), 1u);
        EXPECT_EQ(intervals(recorded)[0].from, recorded.events[1].clock) << bytes;
        std::filesystem::remove_all(trace());
    }
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
        ovni_private_mark_type(98, OVNI_MARK_PUNCTUAL, "instants of ours");
        ovni_mark_type(2, OVNI_MARK_PUNCTUAL, "instants");
        ovni_mark_type(1, 0, "phase");
        ovni_mark_set(98, 7);
        ovni_mark_set(2, 7);
        ovni_mark_set(1, 3);
        pause();
        ovni_mark_set(2, 8);
        go_on();
        end_program();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "OHx OM= OM= OM= OM= OHe");
    EXPECT_EQ(recorded.events[4].argument<int32_t>(8), 1);
    expect_accepted();
}

// Threads share the types of marks, and a thread may use one that another has defined.
TEST_F(RecordingTest, InstantsOfATypeThatAnotherThreadDefinesDoNotComeBack) {
    run_traced([] {
        begin_program();
        ovni_mark_type(2, OVNI_MARK_PUNCTUAL, "instants");
        std::thread([] {
            ovni_thread_init(::gettid());
            emit("OHx", int32_t{-1}, int32_t{-1}, uint64_t{0});
            ovni_mark_set(2, 7);
            pause();
            go_on();
            emit("OHe");
            ovni_thread_free();
        }).join();
        end_program();
    });
    std::vector<RecordedStream> recorded = streams();
    ASSERT_EQ(recorded.size(), 2u);
    std::string all = recorded[0].codes() + " " + recorded[1].codes();
    EXPECT_EQ(all.find("OM="), all.rfind("OM=")) << all;
    expect_accepted();
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

// A thread that ends and begins again in another stop of all.
TEST_F(RecordingTest, AGapEndsWhateverBeganIt) {
    set_environment("OVNI_CONTROL", "threadid:pcontrol:never");
    set_environment("OVNI_CONTROL_SCOPE", "thread");
    run_traced([] {
        begin_program();
        ovni_control_fire(OVNI_CONTROL_STOP, OVNI_CONTROL_THIS_THREAD, 0);
        emit("OB.");
        std::thread([] { pause(); }).join();
        emit("OHe");
        emit("OHx", int32_t{0}, int32_t{-1}, uint64_t{0});
        std::thread([] {
            go_on();
            ovni_control_fire(OVNI_CONTROL_START, OVNI_CONTROL_THIS_THREAD, 1);
        }).join();
        for (int i = 0; i < 5; ++i) emit("OB.");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_TRUE(recorded.codes().ends_with("OB. OB. OB. OB. OB. OHe")) << recorded.codes();
    expect_nothing_in_gaps(recorded);
}

TEST_F(RecordingTest, AFlightRecorderEndsTheGapsThatItLeavesOut) {
    set_environment("OVNI_FLIGHT", "64k");
    run_traced([] {
        begin_program();
        pause();
        for (uint32_t i = 0; i < 9000; ++i) emit("VTc", i + 1, uint32_t{1});
        go_on();
        for (int i = 0; i < 20; ++i) emit("OB.");
        end_program();
    });
    RecordedStream recorded = stream();
    EXPECT_TRUE(recorded.codes().ends_with("OB. OB. OHe"));
    expect_nothing_in_gaps(recorded);
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

}  // namespace
}  // namespace ovni::test
