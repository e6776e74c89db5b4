// The effects of a gap or the cut of a stream on tasks, context switches, idle states and moves.
#include "tests/unit/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::pair<std::string, std::string>> runtimes = {
    {"ovni", "1.1.0"}, {"nosv", "2.7.0"}, {"kernel", "1.0.0"}};

class GapTest : public EmulatorTest {
 protected:
    StreamBuilder& thread(int tid = 1) {
        return trace()
            .thread({.loom = "a", .pid = 1, .tid = tid, .cpus = {{0, 0}, {1, 1}}, .require = runtimes})
            .set("nosv.can_breakdown", true);
    }
    StreamBuilder& with_type(StreamBuilder& stream) {
        return stream.starts(10).jumbo("VYc", 11, {u32(1), "work"});
    }
};

TEST_F(GapTest, LostEventsAreCountedByThreadsAndReasons) {
    thread().starts(10).gap(20, 30, 3, "limit").event("OB.", 40).gap(42, 43, 4, "limit").ends(50);
    thread(2).starts(10).gap(20, 30).ends(50);
    EXPECT_THAT(emulate().err, HasSubstr("WARN: 7 events of 1 thread were lost (limit)\n"));
    thread(3).starts(10).gap(20, 30, 1, "discarded").ends(50);
    EXPECT_THAT(emulate().err, HasSubstr("8 events of 2 threads were lost (1 discarded, 7 limit)\n"));
}

// The event that begins the thread is missing, or one that pauses it.
TEST_F(GapTest, AThreadMayBeInAnyStateBehindAGap) {
    thread().gap(5, 30, 3, "error").event("OB.", 40).ends(50);
    thread(2).gap(5, 30, 3, "error").ends(50);
    thread(3).gap(5, 30, 3, "error").event("VTc", 40, {u32(1), u32(1)}).event("OHr", 45).ends(50);
    thread(4).starts(10).gap(20, 30, 1, "error").event("OHr", 40).ends(50);
    thread(5).starts(10).gap(20, 30, 1, "error").event("OHw", 40).event("OHr", 45).ends(50);
    thread(6).starts(10).event("OHp", 15).gap(20, 30, 1, "error").ends(50);
    thread(7).starts(10).gap(20, 30, 1, "error").starts(40).ends(50);
    thread(8).starts(10).ends(15).gap(20, 30, 1, "error").ends(50);
    thread(9).gap(5, 30, 3, "error").event("OAs", 40, {0}).ends(50);
    const Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("events did not fit the state of their thread behind a gap"));
    EXPECT_THAT(lines("thread.prv", 4), testing::Contains("2:45:4:3"));
}

// Nothing tells its CPU, so the virtual one shows it.
TEST_F(GapTest, AThreadWhoseBeginIsMissingRunsOnTheVirtualCpu) {
    thread().gap(5, 30, 3, "error").event("VTc", 35, {u32(1), u32(1)}).event("VAr", 40).ends(50);
    emulate();
    EXPECT_THAT(lines("cpu.prv", 3), ElementsAre("3:30:3:0", "3:30:3:1", "3:45:3:0"));
}

// Without a gap each of them is wrong.
TEST_F(GapTest, AThreadIsInItsStateWhereNothingIsMissing) {
    thread().ends(50);
    EXPECT_THAT(emulate().err, HasSubstr("cannot end: it is Unknown"));
}

TEST_F(GapTest, AStreamThatEndsByLossIsNotTracedUntilItsGapEnds) {
    thread()
        .starts(10)
        .event("OB.", 20)
        .gap(25, 90, 3, "limit")
        .set("ovni.end", {{"by", "loss"}, {"code", 0}, {"clock", 20}});
    thread(2).starts(10).ends(70);
    accept();
    EXPECT_THAT(lines("thread.prv", 4),
                ElementsAre("1:0:4:1", "2:0:4:1", "1:15:4:6", "2:60:4:3", "1:80:4:3"));
}

TEST_F(GapTest, WhatIsOpenLastsUntilTheProgramDied) {
    thread().starts(10).event("OB.", 20).set("ovni.end", {{"by", "signal"}, {"code", 9}, {"clock", 90}});
    thread(2).starts(10).ends(70);
    accept();
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "2:0:4:1", "2:60:4:3", "1:80:4:3"));
}

TEST_F(GapTest, NothingEndsBeforeTheLastEvent) {
    thread().starts(10).event("OB.", 20).set("ovni.end", {{"by", "signal"}, {"code", 9}, {"clock", 15}});
    accept();
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "1:10:4:3"));
}

TEST_F(GapTest, AnEndThatIsNoClockIsRefused) {
    for (const Json& clock : {Json(-1), Json("soon"), Json(uint64_t{1} << 63)}) {
        another_trace();
        thread().starts(10).event("OB.", 20).set("ovni.end",
                                                 {{"by", "signal"}, {"code", 9}, {"clock", clock}});
        Finished done = emulate();
        EXPECT_EQ(done.status, 1) << clock;
        EXPECT_THAT(done.err, HasSubstr("stream.json")) << clock;
        EXPECT_THAT(done.err, HasSubstr("ovni.end.clock")) << clock;
    }
}

TEST_F(GapTest, AThreadThatIsRunningSaysSo) {
    thread().starts(10).event("OB.", 20).set("ovni.end", {{"by", "running"}, {"code", 0}, {"clock", 90}});
    thread(2).starts(10).ends(70);
    Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("1 of 2 streams are of a program that is running still"));
    EXPECT_THAT(text("thread.row"), HasSubstr("TH 1.1 (running)\nTH 1.2\n"));
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "2:0:4:1", "2:60:4:3", "1:80:4:3"));
}

TEST_F(GapTest, ABodyWhoseBeginningIsLostMayEnd) {
    with_type(thread())
        .event("VTC", 12, {u32(7), u32(1)})
        .gap(20, 30, 3)
        .event("VTe", 40, {u32(7), u32(1)})
        .ends(50);
    Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("2 states ended after a gap"));  // the body and its subsystem
}

TEST_F(GapTest, ATaskThatIsCreatedInAGapRunsWithoutAType) {
    with_type(thread())
        .gap(20, 30, 1)
        .event("VTx", 40, {u32(9), u32(0)})
        .event("VTe", 45, {u32(9), u32(0)})
        .ends(50);
    accept();
    EXPECT_THAT(lines("thread.prv", 10), ElementsAre("1:0:10:0", "1:30:10:9", "1:35:10:0"));
    EXPECT_THAT(lines("thread.prv", 11), ElementsAre("1:0:11:0"));
}

// The subsystem is not shown, because the state of the body when the gap began is not known.
TEST_F(GapTest, ABodyThatGoesOnAfterAGapIsShownAgain) {
    with_type(thread())
        .event("VTc", 12, {u32(7), u32(1)})
        .event("VTx", 13, {u32(7), u32(0)})
        .event("VMa", 14)
        .gap(20, 30, 1)
        .event("VTr", 40, {u32(7), u32(0)})
        .event("VMA", 42)
        .event("VTe", 45, {u32(7), u32(0)})
        .ends(50);
    accept();
    EXPECT_THAT(lines("thread.prv", 10),
                ElementsAre("1:0:10:0", "1:3:10:7", "1:10:10:0", "1:30:10:7", "1:35:10:0"));
}

TEST_F(GapTest, AThreadIsBackOnItsCpuAfterAGap) {
    thread()
        .starts(10)
        .event("KCO", 15)
        .gap(20, 30, 1)
        .event("OHp", 40)
        .event("OHr", 41)
        .event("KCI", 42)
        .ends(50);
    accept();
    EXPECT_THAT(lines("thread.prv", 45), ElementsAre("1:5:45:3", "1:10:45:0"));
}

TEST_F(GapTest, IdleStatesBeginAnewAfterAGap) {
    thread().starts(10).event("VPr", 15).gap(20, 30, 1).event("VPp", 40).ends(50);
    accept({"-b"});
    EXPECT_THAT(lines("thread.prv", 16),
                ElementsAre("1:0:16:100", "1:5:16:101", "1:10:16:0", "1:20:16:100", "1:40:16:0"));
    EXPECT_THAT(lines("nosv-breakdown.prv"),
                ElementsAre("1:0:17:0", "2:0:17:2", "2:5:17:101", "2:20:17:2", "2:40:17:101"));
}

TEST_F(GapTest, AnOutOfPlaceStateIsStillAnErrorWithoutAGap) {
    with_type(thread()).event("VTC", 12, {u32(7), u32(1)}).event("VTe", 40, {u32(7), u32(1)}).ends(50);
    Finished done = emulate();
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("body 1 of task 7 never ran"));
}

TEST_F(GapTest, AThreadWhoseStreamWasCutMayBeMoved) {
    thread(1).starts(10).set("ovni.end", Json::parse(R"({"by": "signal", "code": 9, "clock": 10})"));
    thread(2).starts(11, -1).event("OAr", 20, {1, 1}).ends(30);
    Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("1 moves to another CPU"));
}

TEST_F(GapTest, TasksThatRunAreClosedAtTheCutOfTheirStream) {
    with_type(thread())
        .event("VTc", 12, {u32(7), u32(1)})
        .event("VTx", 13, {u32(7), u32(0)})
        .set("ovni.end", Json::parse(R"({"by": "signal", "code": 9, "clock": 13})"));
    accept({"-b"});
    EXPECT_THAT(lines("thread.prv", 10), ElementsAre("1:0:10:0", "1:3:10:7", "1:3:10:0"));
    EXPECT_EQ(lines("nosv-breakdown.prv").back(), "2:3:17:101");
}

TEST_F(GapTest, LinesAtTheLastClockThereIsAreWritten) {
    thread().starts(0).ends(INT64_MAX);
    accept();
    EXPECT_EQ(lines("thread.prv", 4).back(), "1:9223372036854775807:4:3");
}

TEST_F(GapTest, CounterViewsThatCannotBeWrittenAreAWarning) {
    thread().set("nosv.hwc.0.name", std::string(300, 'x')).starts(10).ends(20);
    Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("configurations of counters"));
    EXPECT_FALSE(text("thread.prv").empty());
}

TEST_F(GapTest, CountersAreShownWithTheirNamesAndViews) {
    thread()
        .set("nosv.hwc.0.name", "PAPI_TOT_INS")
        .starts(10)
        .jumbo("VWC", 12, {i64(0)})
        .jumbo("VWC", 13, {i64(-5)})
        .jumbo("VWC", 14, {i64(-5)})
        .ends(20);
    accept();
    EXPECT_THAT(lines("thread.prv", 200),
                ElementsAre("1:0:200:0", "1:2:200:0", "1:3:200:-5", "1:4:200:-5", "1:10:200:0"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("0 200        PAPI_TOT_INS\n"));
    EXPECT_THAT(text("cfg/thread/nosv/hwc-PAPI_TOT_INS.cfg"), HasSubstr("Next Evt Val"));
    EXPECT_THAT(text("cfg/cpu/nosv/hwc-PAPI_TOT_INS.cfg"),
                HasSubstr("CPU: nOS-V PAPI_TOT_INS of the RUNNING thread"));
}

}  // namespace
}  // namespace ovni::test
