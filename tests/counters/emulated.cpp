// Traces with counters in the emulator and the tools.
#include "tests/unit/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CounterTraceTest : public EmulatorTest {
 protected:
    StreamBuilder& thread(const Json& names, int tid = 1) {
        return trace()
            .thread({.loom = "a",
                     .pid = 1,
                     .tid = tid,
                     .cpus = {{0, 0}, {1, 1}},
                     .require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}, {"counters", "1.0.0"}}})
            .set("ovni.counters", names);
    }
};

TEST_F(CounterTraceTest, ADeltaIsALineAtItsBorderInThreadAndCpu) {
    thread({"page-faults", "task-clock"})
        .starts(10)
        .event("C4A", 20, {u32(3), u32(70000)})
        .event("MCb", 20)
        .event("C4A", 30, {u32(0), u32(5)})
        .event("MCB", 30)
        .ends(40);
    accept();
    EXPECT_THAT(lines("thread.prv", 42000502), ElementsAre("1:10:42000502:3", "1:20:42000502:0"));
    EXPECT_THAT(lines("thread.prv", 42000500), ElementsAre("1:10:42000500:70000", "1:20:42000500:5"));
    EXPECT_THAT(lines("cpu.prv", 42000502), ElementsAre("1:10:42000502:3", "1:20:42000502:0"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("0 42000502   page-faults\n"));
    EXPECT_THAT(text("cfg/thread/counters/page-faults.cfg"), HasSubstr("evt_type 1 42000502"));
}

TEST_F(CounterTraceTest, LargeDeltasAreTwoByTwo) {
    thread({"instructions", "cycles", "page-faults"})
        .starts(10)
        .event("C8A", 20, {u64(uint64_t{1} << 40), u64(7)})
        .event("C8B", 20, {u64(9)})
        .ends(40);
    accept();
    EXPECT_THAT(lines("thread.prv", 42000050), ElementsAre("1:10:42000050:1099511627776"));
    EXPECT_THAT(lines("thread.prv", 42000059), ElementsAre("1:10:42000059:7"));
    EXPECT_THAT(lines("thread.prv", 42000502), ElementsAre("1:10:42000502:9"));
}

TEST_F(CounterTraceTest, MemoryHasTwoTypes) {
    thread({"rss"}).starts(10).event("CRm", 20, {u64(4096), u64(8192)}).ends(40);
    accept();
    EXPECT_THAT(lines("thread.prv", 48000000), ElementsAre("1:10:48000000:4096"));
    EXPECT_THAT(lines("thread.prv", 48000001), ElementsAre("1:10:48000001:8192"));
}

TEST_F(CounterTraceTest, StreamsMayHaveDifferentCounters) {
    thread({"page-faults", "r1c2"}).starts(10).event("C4A", 20, {u32(1), u32(2)}).ends(40);
    thread({"r1c2"}, 2).starts(10, 1).event("C4A", 20, {u32(3)}).ends(40);
    accept();
    EXPECT_THAT(lines("thread.prv", 42001000), ElementsAre("1:10:42001000:2", "2:10:42001000:3"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("0 42001000   r1c2\n"));
}

TEST_F(CounterTraceTest, NothingNamesCountersIfThereAreNone) {
    trace().thread({.loom = "a", .pid = 1, .tid = 1}).starts(10).ends(40);
    accept();
    EXPECT_THAT(text("thread.pcf"), Not(HasSubstr("42000")));
}

TEST_F(CounterTraceTest, WhatTheStreamDoesNotNameIsAnError) {
    thread({"page-faults"}).starts(10).event("C4A", 20, {u32(1), u32(2)}).ends(40);
    Finished done = emulate();
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("a delta of counter 1, but the stream names 1"));
    another_trace();
    thread({"page-faults"}).starts(10).event("CRm", 20, {u64(1), u64(2)}).ends(40);
    EXPECT_THAT(emulate().err, HasSubstr("no stream names rss"));
    another_trace();
    thread({"page-flauts"}).starts(10).ends(40);
    EXPECT_THAT(emulate().err, HasSubstr("no counter has the name 'page-flauts'"));
    another_trace();
    thread("page-faults").starts(10).ends(40);
    EXPECT_THAT(emulate().err, HasSubstr("ovni.counters: is no list of counters"));
    another_trace();
    thread({"rss", "page-faults"}).starts(10).event("C4A", 20, {u32(1)}).ends(40);
    EXPECT_THAT(emulate().err, HasSubstr("ovni.counters: 'rss' is not the last one"));
    another_trace();
    thread({"page-faults", "page-faults"}).starts(10).ends(40);
    EXPECT_THAT(emulate().err, HasSubstr("ovni.counters: 'page-faults' is there twice"));
    another_trace();
    thread({"page-faults"}).starts(10).event("C4A", 20, {u16(1)}).ends(40);
    EXPECT_THAT(emulate().err, HasSubstr("2 bytes are no whole deltas"));
}

TEST_F(CounterTraceTest, DumpPrintsNamesAndValues) {
    thread({"page-faults", "task-clock"}).starts(10).event("C4A", 20, {u32(3), u32(70000)}).ends(40);
    Finished dumped = run({program("ovnidump"), trace().write()});
    EXPECT_EQ(dumped.status, 0) << dumped.err;
    EXPECT_THAT(dumped.out, HasSubstr("since the last border: page-faults 3, task-clock 70000\n"));
}

TEST_F(CounterTraceTest, ACutDropsTheDeltaThatCountsFromBeforeIt) {
    thread({"page-faults"})
        .starts(10)
        .event("C4A", 20, {u32(1)})
        .event("C4A", 30, {u32(2)})
        .event("C4A", 40, {u32(3)})
        .ends(50);
    TemporaryDirectory there;
    std::string part = there.path() / "part";
    Finished cut = run({program("ovnicut"), trace().write(), "-o", part, "--from", "15ns"});
    ASSERT_EQ(cut.status, 0) << cut.err;
    Finished dumped = run({program("ovnidump"), part});
    EXPECT_THAT(dumped.out, Not(HasSubstr("page-faults 2\n")));
    EXPECT_THAT(dumped.out, HasSubstr("page-faults 3\n"));
    Finished emulated = run({program("ovniemu"), "-l", part});
    EXPECT_EQ(emulated.status, 0) << emulated.err;
}

// Two ranks, of which the first computes, and both are in a region and in MPI.
class CounterSumsTest : public CounterTraceTest {
 protected:
    void SetUp() override {
        constexpr int64_t region = 7;
        thread({"instructions", "cycles"})
            .mark(99, "stack", "MPI_Pcontrol region", {{region, "solve"}})
            .starts(10)
            .event("MCb", 20)
            .event("C4A", 30, {u32(5), u32(10)})
            .event("MCB", 30)
            .event("C4A", 50, {u32(300), u32(200)})
            .event("OM[", 50, {i64(region), 99})
            .event("C4A", 150, {u32(400), u32(200)})
            .event("MCb", 150)
            .event("C4A", 170, {u32(3), u32(30)})
            .event("MCB", 170)
            .event("C4A", 180, {u32(1), u32(20)})
            .event("OM]", 180, {i64(region), 99})
            .ends(200);
    }
    static const Json& named(const Json& list, const char* member, const Json& name) {
        static const Json none;
        for (const Json& entry : list)
            if (entry[member] == name) return entry;
        ADD_FAILURE() << name << " is not in " << list;
        return none;
    }
};

TEST_F(CounterSumsTest, AReportHasCountsByFunctionAndRegion) {
    TemporaryDirectory there;
    std::string file = there.path() / "report.json";
    accept({"--report", file});
    const Json report = Json::parse(read_file(file));
    const Json& counters = report["total"]["counters"];
    Json of_process = report["processes"][0]["counters"];
    EXPECT_EQ(named(of_process["threads"], "tid", 1)["counts"],
              Json({{"instructions", 709}, {"cycles", 460}}));
    of_process.erase("threads");
    EXPECT_EQ(of_process, counters);
    ASSERT_EQ(counters["functions"].size(), 2u);
    const Json& barrier = named(counters["functions"], "function", "MPI_Barrier");
    EXPECT_EQ(barrier["counts"], Json({{"instructions", 8}, {"cycles", 40}}));
    EXPECT_EQ(barrier["ns"], 30);
    EXPECT_DOUBLE_EQ(barrier["ipc"].get<double>(), 0.2);
    const Json& outside = named(counters["functions"], "function", nullptr);
    EXPECT_EQ(outside["counts"], Json({{"instructions", 701}, {"cycles", 420}}));
    EXPECT_EQ(outside["ns"], 130);
    const Json& solve = named(counters["regions"], "region", "solve");
    EXPECT_EQ(solve["counts"], Json({{"instructions", 404}, {"cycles", 250}}));
    EXPECT_EQ(solve["ns"], 130);
    EXPECT_DOUBLE_EQ(solve["ghz"].get<double>(), 250.0 / 130);
    EXPECT_EQ(named(counters["regions"], "region", nullptr)["counts"]["instructions"], 305);
}

TEST_F(CounterSumsTest, TopPrintsCountsByFunctionAndRegion) {
    Finished top = run({program("ovnitop"), "--counters", trace().write()});
    EXPECT_EQ(top.status, 0) << top.err;
    EXPECT_THAT(top.out, HasSubstr("IPC"));
    EXPECT_THAT(top.out, testing::ContainsRegex("all +outside of MPI +0.000000 +1.67 +3.23 +701 +420\n"));
    EXPECT_THAT(top.out, testing::ContainsRegex("all +MPI_Barrier +0.000000 +0.20 +1.33 +8 +40\n"));
    EXPECT_THAT(top.out, testing::ContainsRegex("all +region solve +0.000000 +1.62 +1.92 +404 +250\n"));
    EXPECT_THAT(top.out, testing::ContainsRegex("all +in no region +0.000000 .* +305 +210\n"));
}

// A thread of OpenMP, say, that never calls MPI: its first border has no deltas.
TEST_F(CounterTraceTest, TimeBeginsAtTheFirstRegionOfAThread) {
    thread({"cycles"})
        .mark(99, "stack", "MPI_Pcontrol region", {{7, "solve"}})
        .starts(10)
        .event("OM[", 50, {i64(7), 99})
        .event("C4A", 150, {u32(200)})
        .event("OM]", 150, {i64(7), 99})
        .ends(200);
    TemporaryDirectory there;
    std::string file = there.path() / "report.json";
    accept({"--report", file});
    const Json regions = Json::parse(read_file(file))["total"]["counters"]["regions"];
    ASSERT_EQ(regions.size(), 1U);
    EXPECT_EQ(regions[0]["ns"], 100);
    EXPECT_DOUBLE_EQ(regions[0]["ghz"].get<double>(), 2.0);
}

// The border at 100 has the deltas since 70, of which only the event CSn tells.
TEST_F(CounterTraceTest, TimeBeginsWhereCountingBegan) {
    thread({"cycles"})
        .starts(10)
        .event("CSn", 100, {u64(30)})
        .event("C4A", 100, {u32(60)})
        .event("MCb", 100)
        .ends(200);
    TemporaryDirectory there;
    std::string file = there.path() / "report.json";
    accept({"--report", file});
    const Json counters = Json::parse(read_file(file))["processes"][0]["counters"];
    EXPECT_EQ(counters["functions"][0]["ns"], 30);
    EXPECT_EQ(counters["threads"][0]["tid"], 1);
    EXPECT_DOUBLE_EQ(counters["threads"][0]["ghz"].get<double>(), 2.0);
}

TEST_F(CounterTraceTest, DeltasCountForTheInnermostConstruct) {
    trace()
        .thread({.loom = "a",
                 .pid = 1,
                 .tid = 1,
                 .require = {{"ovni", "1.1.0"}, {"openmp", "1.3.0"}, {"counters", "1.0.0"}}})
        .set("ovni.counters", {"cycles"})
        .starts(10)
        .jumbo("POc", 20, {u32(7), "solve"})
        .jumbo("POc", 20, {u32(8), "leaf"})
        .event("PMu", 20)
        .event("PR[", 20, {u32(7), u32(1), u32(1), u32(0)})
        .event("C4A", 30, {u32(1)})
        .event("PPc", 30, {u32(5), u32(8)})
        .event("PPx", 30, {u32(5)})
        .event("PT[", 30)
        .event("C4A", 40, {u32(10)})
        .event("PT]", 40)
        .event("PPe", 40, {u32(5)})
        .event("C4A", 50, {u32(100)})
        .event("PBj", 50)
        .event("C4A", 60, {u32(1000)})
        .event("PBJ", 60)
        .event("C4A", 70, {u32(10000)})
        .event("PR]", 70, {u32(7), u32(1), u32(1), u32(0)})
        .event("PMU", 70)
        .event("C4A", 80, {u32(100000)})
        .ends(80);
    TemporaryDirectory there;
    std::string file = there.path() / "report.json";
    accept({"--report", file});
    std::map<std::string, int64_t> cycles;
    const Json report = Json::parse(read_file(file));
    for (const Json& entry : report["total"]["counters"]["constructs"])
        cycles[entry["construct"].dump() + entry["label"].dump()] = entry["counts"]["cycles"].get<int64_t>();
    const std::map<std::string, int64_t> expected{{"\"parallel region\"\"solve\"", 1 + 100 + 10000},
                                                  {"\"task\"\"leaf\"", 10},
                                                  {"\"barrier\"null", 1000},
                                                  {"nullnull", 100000}};
    EXPECT_EQ(cycles, expected);
    const Finished top = run({program("ovnitop"), "--counters", trace().write()});
    EXPECT_THAT(top.out, testing::ContainsRegex("all +parallel region solve .* 10101\n"));
    EXPECT_THAT(top.out, testing::ContainsRegex("all +task leaf .* 10\n"));
}

TEST_F(CounterTraceTest, TopTellsProcessesOfTwoHostsApart) {
    for (const char* loom : {"a", "b"})
        trace()
            .thread({.loom = loom, .pid = 1, .tid = 1})
            .set("ovni.counters", {"page-faults"})
            .starts(10)
            .event("C4A", 20, {u32(3)})
            .ends(40);
    Finished top = run({program("ovnitop"), "--counters", trace().write()});
    EXPECT_THAT(top.out, testing::ContainsRegex("all +outside of MPI .* 6\n"));
    EXPECT_THAT(top.out, testing::ContainsRegex("pid 1 +outside of MPI .* 3\npid 1 +outside of MPI .* 3\n"));
}

TEST_F(CounterTraceTest, AReportWithoutCountersHasNoSuchMember) {
    trace().thread({.loom = "a", .pid = 1, .tid = 1}).starts(10).ends(40);
    TemporaryDirectory there;
    std::string file = there.path() / "report.json";
    accept({"--report", file});
    EXPECT_FALSE(Json::parse(read_file(file))["total"].contains("counters"));
}

}  // namespace
}  // namespace ovni::test
