#include "tests/unit/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class RejectTest : public EmulatorTest {
 protected:
    void reject(const std::string& cause, std::vector<std::string> options = {}) {
        Finished done = emulate(std::move(options));
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr(cause));
    }
    StreamBuilder& mpi_thread() { return trace().thread({.require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}}); }
};

struct WrongLife {
    std::vector<const char*> events;
    const char* cause;
};

TEST_F(RejectTest, StepsThatTheStateOfTheThreadForbidsAreRefused) {
    const WrongLife lives[] = {
        {{"OHx", "OHx"}, "cannot start to run: it is Running"},
        {{"OHe"}, "cannot end: it is Unknown"},
        {{"OHx", "OHr"}, "cannot run again: it is Running"},
        {{"OHx", "OHw"}, "cannot warm up: it is Running"},
        {{"OHx", "OHp", "OHp"}, "cannot pause: it is Paused"},
        {{"OHx", "OHp", "OHc"}, "cannot cool down: it is Paused"},
        {{"OHx", "OHp", "OHe"}, "cannot end: it is Paused"},
        {{"OHx", "OHp"}, "is Paused at the end, not Dead"},
        {{"OHx"}, "is Running at the end, not Dead"},
    };
    for (const WrongLife& life : lives) {
        another_trace();
        StreamBuilder& stream = trace().thread();
        int64_t clock = 10;
        for (const char* event : life.events) {
            if (std::string(event) == "OHx")
                stream.starts(clock);
            else
                stream.event(EventCode::from_chars(event), clock);
            clock += 10;
        }
        reject(life.cause);
    }
}

TEST_F(RejectTest, TheErrorNamesFileOffsetEventAndTime) {
    trace().thread().starts(10).event("OHr", 25).ends(30);
    reject("stream.obs:36: event OHr at clock 25 (time 15): thread 1 cannot run again: it is Running");
}

TEST_F(RejectTest, WhatWasGoodIsKeptUnderAPartialNameNextToOlderOutputs) {
    trace().thread().starts(10).event("OHr", 25).ends(30);
    trace().file("thread.prv", "older");
    reject("OHr");
    reject("writing what came before the error, as .partial files, to");
    EXPECT_EQ(text("thread.prv"), "older");
    EXPECT_THAT(lines("thread.partial.prv", 4), testing::ElementsAre("1:0:4:1"));
    EXPECT_THAT(text("thread.partial.prv"), HasSubstr(":00000000000000000015_ns:"));
}

TEST_F(RejectTest, AFaultOfTheEndGivesTheFinalNames) {
    trace().thread().starts(10);
    reject("not Dead");
    EXPECT_THAT(lines("thread.prv", 4), testing::ElementsAre("1:0:4:1"));
}

TEST_F(RejectTest, UnknownAndDisabledEventsAreRefused) {
    trace().thread().starts(10).event("OHz", 20).ends(30);
    reject("model ovni has no such event");
    another_trace();
    trace().thread().starts(10).event("MS[", 20).ends(30);
    reject("model mpi is not enabled: no thread requires it (ovni_thread_require)");
    another_trace();
    trace().thread().starts(10).event("?S[", 20).ends(30);
    reject("no model has the id '?'");
}

TEST_F(RejectTest, AllModelsCanBeEnabled) {
    trace().thread().starts(10).event("MS[", 20).event("MS]", 21).ends(30);
    accept({"-a"});
}

TEST_F(RejectTest, StacksThatDoNotMatchAreRefused) {
    mpi_thread().starts(10).event("MS[", 20).event("MR]", 21).ends(30);
    reject("mpi.function: cannot leave 12: 13 is on top of the stack");
    another_trace();
    mpi_thread().starts(10).event("MR]", 21).ends(30);
    reject("mpi.function: cannot leave 12: the stack is empty");
    another_trace();
    mpi_thread().starts(10).event("MR[", 21).event("MR[", 22).ends(30);
    reject("mpi.function: the channel has the value 12 already");
}

TEST_F(RejectTest, EventsOfThreadsThatDoNotRunAreRefused) {
    mpi_thread().starts(10).event("OHp", 11).event("MS[", 20);
    reject("thread 1 is Paused, the event needs it to be Running");
}

TEST_F(RejectTest, OpenStatesAreRefusedInLinterModeOnly) {
    mpi_thread().starts(10).event("MS[", 20).ends(30);
    accept();
    reject("thread 1 ended with 1 open states of mpi function", {"-l"});
}

TEST_F(RejectTest, MoreThan512NestedValuesAreRefused) {
    StreamBuilder& stream = trace().thread().mark(1, "stack", "deep").starts(10);
    for (int i = 0; i < 513; ++i) stream.event("OM[", 20 + i, {i64(i + 1), 1});
    reject("more than 512 values on the stack");
}

TEST_F(RejectTest, WrongMarksAreRefused) {
    trace().thread().mark(1, "single", "one").starts(10).event("OM[", 20, {i64(1), 1}).ends(30);
    reject("mark 1 is not a stack");
    another_trace();
    trace().thread().mark(1, "single", "one").starts(10).event("OM=", 20, {i64(1), 2}).ends(30);
    reject("mark type 2 is not defined");
    another_trace();
    trace().thread().mark(1, "single", "one").starts(10).event("OM=", 20, {i64(0), 1}).ends(30);
    reject("a mark of value 0");
    another_trace();
    trace().thread().mark(1, "single", "one").starts(10).event("OM=", 20, {i64(1)}).ends(30);
    reject("a payload of 8 bytes, not 12");
    another_trace();
    trace().thread({.tid = 1}).mark(1, "single", "one").starts(10).ends(30);
    trace().thread({.tid = 2}).mark(1, "single", "other").starts(10, -1).ends(30);
    reject(
        "mark type 1 has another title or kind ('other', single) than in an earlier stream ('one', single)");
    another_trace();
    trace().thread({.tid = 1}).mark(1, "single", "one", {{3, "a"}}).starts(10).ends(30);
    trace().thread({.tid = 2}).mark(1, "single", "one", {{3, "b"}}).starts(10, -1).ends(30);
    reject("value 3 of mark type 1 is 'b' here and 'a' in an earlier stream");
    another_trace();
    trace().thread().mark(1, "single", "one", {{1, "a"}, {(int64_t{1} << 32) + 1, "b"}}).starts(10).ends(30);
    reject("the same value in 32 bits, 1");
    another_trace();
    trace().thread({.tid = 1, .directory = "a"}).mark(1, "single", "one", {{1, "a"}}).starts(10).ends(30);
    trace().thread({.tid = 2, .directory = "b"}).starts(10, -1).ends(30);
    trace().thread({.tid = 3, .directory = "c"}).mark(1, "single", "one", {{1, "a"}}).starts(10, -1).ends(30);
    const int64_t same_in_32_bits = (int64_t{1} << 32) + 1;
    trace()
        .thread({.tid = 4, .directory = "d"})
        .mark(1, "single", "one", {{same_in_32_bits, "b"}})
        .starts(10);
    trace().thread({.tid = 5, .directory = "e"}).mark(2, "single", "two").starts(10, -1).ends(30);
    reject("/d/stream.json: two labels of mark type 1 have the same value in 32 bits, 1");
}

TEST_F(RejectTest, BreakdownsThatTheTraceDoesNotDeclareAreRefused) {
    trace().thread({.require = {{"ovni", "1.1.0"}, {"nosv", "2.7.0"}}}).starts(10).ends(30);
    const std::string cause = "nosv.can_breakdown is missing, the breakdown needs it: leave -b out";
    reject(cause, {"-b"});
    reject(cause, {"-b", "--keep-going"});
}

TEST_F(RejectTest, WrongCpusAreRefused) {
    trace().thread().starts(10, 3).ends(30);
    reject("loom node0.a has no CPU with index 3");
    another_trace();
    trace().thread().starts(10).event("OAs", 11, {0, 0}).ends(30);
    reject("a payload of 8 bytes, not 4");
    another_trace();
    trace().thread().starts(10).event("OAr", 11, {0, 1}).ends(30);
    reject("thread 1 is on that CPU already");
    another_trace();
    trace().thread().starts(10).event("OAr", 11, {-1, 5}).ends(30);
    reject("there is no thread 5 in the loom");
    another_trace();
    trace().thread({.cpus = {}}).starts(10).ends(30);
    reject("loom node0.a has no CPUs");
    another_trace();
    trace().thread({.cpus = {}}).starts(10, -1).set("ovni.end", {{"by", "signal"}, {"code", 9}});
    accept();
    another_trace();
    trace().thread({.cpus = {{0, 0}, {2, 1}}}).starts(10).ends(30);
    reject("CPU index 2 of loom node0.a is not below its number of CPUs, 2");
    another_trace();
    trace().thread({.cpus = {{0, 0}, {0, 1}}}).starts(10).ends(30);
    reject("two CPUs of loom node0.a have index 0");
    another_trace();
    trace().thread({.tid = 1, .cpus = {{0, 3}}}).starts(10).ends(30);
    trace().thread({.tid = 2, .cpus = {{1, 3}}}).starts(10).ends(30);
    reject("CPU 3 of loom node0.a has index 1 here and 0 in another stream");
}

TEST_F(RejectTest, StreamsThatContradictEachOtherAreRefused) {
    trace().thread({.tid = 1, .app_id = 1}).starts(10).ends(30);
    trace().thread({.tid = 2, .app_id = 2}).starts(10, -1).ends(30);
    reject("ovni.app_id of process 1 is 2 here and 1 in another stream");
    another_trace();
    trace().thread({.pid = 1, .tid = 1, .rank = 0}).starts(10).ends(30);
    trace().thread({.pid = 2, .tid = 2}).starts(10, -1).ends(30);
    reject("loom node0.a has processes with and without a rank");
    another_trace();
    trace().thread({.rank = 3, .nranks = 2}).starts(10).ends(30);
    reject("ovni.rank: is 3 of 2 ranks");
    another_trace();
    trace().thread({.tid = 7, .directory = "a"}).starts(10).ends(30);
    trace().thread({.tid = 7, .directory = "b"}).starts(10).ends(30);
    reject("thread 7 of process 1 has two streams");
    another_trace();
    trace().thread({.loom = "a/b", .directory = "a"}).starts(10).ends(30);
    reject("ovni.loom: 'a/b' has a '/' in it");
    another_trace();
    trace().thread({.tid = 1}).set("ovni.run", "job 1").starts(10).ends(30);
    trace().thread({.tid = 2}).set("ovni.run", "job 2").starts(10, -1).ends(30);
    reject("streams of two runs");
    another_trace();
    trace().thread({.tid = 1}).set("ovni.run", "test").starts(10).ends(30);
    trace().thread({.tid = 2}).set("ovni.run", "test.2").starts(10, -1).ends(30);
    reject("streams of two runs");
}

// A shell that was killed before MPI_Init had named the run.
TEST_F(RejectTest, AWrapperOfTheRanksIsAccepted) {
    const std::string job = "job-0123456789abcdef";
    trace()
        .thread({.pid = 1, .tid = 1, .rank = 0})
        .set("ovni.run", job + ".20261128T163303Z-17")
        .starts(10)
        .ends(30);
    trace().thread({.pid = 2, .tid = 2}).set("ovni.run", job).starts(10, -1).ends(30);
    accept();
}

TEST_F(RejectTest, UnfinishedStreamsAreRefused) {
    trace().thread().starts(10).ends(30).unfinished();
    reject(
        "ovni.finished is not 1: the thread did not end its stream (was the program killed? see "
        "ovnirecover)");
}

TEST_F(RejectTest, UnknownVersionsAreRefused) {
    trace().thread({.require = {{"ovni", "1.2.0"}}}).starts(10).ends(30);
    reject("requires version 1.2.0 of model ovni, this emulator has 1.1.0");
    another_trace();
    trace().thread({.require = {{"ovni", "1.x"}}}).starts(10).ends(30);
    reject("'1.x' is not a version");
    another_trace();
    trace().thread({.require = {{"ovni", "1.0.99"}, {"nobody", "3.0.0"}}}).starts(10).ends(30);
    accept();
}

TEST_F(RejectTest, ClocksMoreThanAnHourApartAreRefused) {
    constexpr int64_t hour = INT64_C(3600) * 1'000'000'000;
    trace().thread({.loom = "a"}).starts(10).ends(hour + 20);
    trace().thread({.loom = "b"}).starts(hour + 10).ends(hour + 20);
    accept();
    trace().thread({.loom = "c"}).starts(hour + 11).ends(hour + 20);
    reject("1 streams begin more than an hour from the first");
}

TEST_F(RejectTest, DamageAfterWhatIsGoodIsRefused) {
    trace().thread().starts(10).event("OHp", 20).event("OHr", 30).ends(40).truncate(3);
    reject("stream.obs:60: incomplete event");
    EXPECT_THAT(lines("thread.partial.prv", 4), testing::ElementsAre("1:0:4:1", "1:10:4:2", "1:20:4:1"));
}

TEST_F(RejectTest, WrongCommandLinesAreRefused) {
    trace().thread().starts(10).ends(20);
    Finished help = run({program("ovniemu"), "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, HasSubstr("M  mpi       1.4.0"));
    EXPECT_EQ(run({program("ovniemu")}).status, 2);
    EXPECT_EQ(run({program("ovniemu"), "--clock"}).status, 2);
    EXPECT_EQ(run({program("ovniemu"), "a", "b"}).status, 2);
    reject("cannot", {"-c", "/does/not/exist"});
    Finished many = run({program("ovniemu"), trace().write().string()},
                        {"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0"});
    EXPECT_EQ(many.status, 2);
    EXPECT_THAT(many.err, HasSubstr("ovniemu-mpi"));
    for (const char* tool : {"ovniemu", "ovnitop", "ovnidump"}) {
        const Finished missing = run({program(tool), "/does/not/exist"});
        EXPECT_EQ(missing.status, 1) << tool;
        EXPECT_THAT(missing.err, HasSubstr("/does/not/exist: there is no such directory: name the one that"));
    }
}

TEST(NoTraceTest, ADirectoryWithoutATraceIsAnErrorAndStaysEmpty) {
    const TemporaryDirectory directory;
    const std::string empty = directory.path() / "empty";
    std::filesystem::create_directory(empty);
    Finished done = run({program("ovniemu"), empty});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr(empty + ": no trace is here, neither loom.* nor stream.json"));
    EXPECT_THAT(done.err, HasSubstr("--empty-ok"));
    EXPECT_TRUE(std::filesystem::is_empty(empty));
    for (const char* tool : {"ovnitop", "ovnidump", "ovnisort"}) {
        const Finished read = run({program(tool), empty});
        EXPECT_EQ(read.status, 1) << tool;
        EXPECT_THAT(read.err, HasSubstr("no trace is here")) << tool;
        EXPECT_THAT(read.err, Not(HasSubstr("--empty-ok"))) << tool;
    }
    EXPECT_EQ(run({program("ovniemu"), "--empty-ok", empty}).status, 0);
    EXPECT_TRUE(std::filesystem::exists(empty + "/thread.prv"));
}

TEST(NoTraceTest, APartOfATraceIsRefusedWithTheWhole) {
    TraceBuilder trace;
    trace.thread({.loom = "a", .pid = 1, .tid = 1}).starts(10).ends(20);
    const std::filesystem::path whole = trace.write();
    for (const char* part : {"loom.a", "loom.a/proc.1", "loom.a/proc.1/thread.1/"}) {
        const Finished done = run({program("ovniemu"), whole / part});
        EXPECT_EQ(done.status, 1) << part;
        EXPECT_THAT(done.err, HasSubstr("is a part of a trace: name the whole, " +
                                        std::filesystem::canonical(whole).string() + ","));
        EXPECT_FALSE(std::filesystem::exists(whole / part / "thread.prv"));
    }
}

}  // namespace
}  // namespace ovni::test
