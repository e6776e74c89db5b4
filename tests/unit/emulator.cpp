#include "tests/unit/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Identity two_cpus{.loom = "nodeA.x", .pid = 4321, .tid = 4321, .cpus = {{0, 10}, {1, 12}}};

TEST_F(EmulatorTest, WritesTheLinesOfAShortLife) {
    trace()
        .thread(two_cpus)
        .mark(5, "stack", "phase", {{3, "three"}})
        .mark(6, "single", "step")
        .starts(1000)
        .event("OM[", 1002, {i64(3), 5})
        .ends(1003);
    accept({"-l"});
    EXPECT_THAT(lines("thread.prv"), ElementsAre("1:0:6:1", "1:0:4:1", "1:0:2:4321", "1:0:105:0", "1:0:106:0",
                                                 "1:2:105:3", "1:3:4:3", "1:3:2:0", "1:3:6:0", "1:3:105:0"));
    EXPECT_THAT(lines("cpu.prv"),
                ElementsAre("1:0:2:4321", "1:0:1:4321", "1:0:3:1", "1:0:7:0", "1:0:105:0", "1:0:106:0",
                            "1:2:105:3", "1:3:2:0", "1:3:1:0", "1:3:3:0", "1:3:105:0"));
    EXPECT_THAT(text("thread.prv"),
                HasSubstr("#Paraver (19/01/38 at 03:14):00000000000000000003_ns:0:1:1(1:1)\n"));
    EXPECT_THAT(text("cpu.row"), HasSubstr(" CPU 0.10\n CPU 0.12\nvCPU 0.*\n"));
    EXPECT_THAT(text("thread.row"), HasSubstr("TH 1.4321\n"));
}

TEST_F(EmulatorTest, SkipsRepeatedNothingOfAMarkButNotRepeatedValues) {
    trace()
        .thread(two_cpus)
        .mark(5, "single", "step")
        .starts(10)
        .event("OM=", 11, {i64(3), 5})
        .event("OM=", 12, {i64(3), 5})
        .event("OHc", 13)
        .event("OHp", 14)
        .event("OHr", 15)
        .ends(16);
    accept();
    EXPECT_THAT(lines("thread.prv", 105), ElementsAre("1:0:105:0", "1:1:105:3", "1:2:105:3", "1:3:105:3",
                                                      "1:4:105:0", "1:5:105:3", "1:6:105:0"));
    EXPECT_THAT(lines("cpu.prv", 105),
                ElementsAre("1:0:105:0", "1:1:105:3", "1:2:105:3", "1:3:105:0", "1:5:105:3", "1:6:105:0"));
}

TEST_F(EmulatorTest, ShowsMpiFunctionsWhileTheThreadRuns) {
    Identity rank = two_cpus;
    rank.require.emplace_back("mpi", "1.0.0");
    trace().thread(rank).starts(10).event("MS[", 12).event("OHc", 13).event("OHr", 14).ends(20);
    Finished done = emulate();
    EXPECT_EQ(done.status, 1);  // Cooling threads cannot run again without a pause
    EXPECT_THAT(done.err, HasSubstr("cannot run again: it is Cooling"));
    EXPECT_TRUE(std::filesystem::exists(trace().path() / "thread.partial.prv"));
    EXPECT_FALSE(std::filesystem::exists(trace().path() / "thread.prv"));
}

TEST_F(EmulatorTest, LeavesParaverOutIfOtherOutputsAreWanted) {
    trace().thread().starts(10).event("OB.", 12).ends(20);
    const TemporaryDirectory elsewhere;
    const auto outputs = [&](const std::string& name) {
        return std::vector<std::string>{"--html", (elsewhere.path() / (name + ".html")).string(), "--report",
                                        (elsewhere.path() / (name + ".json")).string()};
    };
    std::vector<std::string> alone = outputs("alone");
    alone.emplace_back("--no-prv");
    accept(alone);
    for (const char* name : {"thread.prv", "cpu.prv", "thread.row", "cfg"})
        EXPECT_FALSE(std::filesystem::exists(trace().path() / name)) << name;
    accept(outputs("both"));
    EXPECT_TRUE(std::filesystem::exists(trace().path() / "thread.prv"));
    for (const char* ending : {".html", ".json"})
        EXPECT_EQ(read_file(elsewhere.path() / (std::string("alone") + ending)),
                  read_file(elsewhere.path() / (std::string("both") + ending)));
    EXPECT_EQ(emulate({"--no-prv"}).status, 2);
    EXPECT_EQ(emulate({"--no-prv", "-b", "--html", "page.html"}).status, 2);
}

TEST_F(EmulatorTest, ShowsMpiFunctionsByNumberAndLabelsThoseThatItShows) {
    constexpr uint16_t comm_split = 70, shared_query = 124;
    Identity rank = two_cpus;
    rank.require.emplace_back("mpi", "1.1.0");
    trace()
        .thread(rank)
        .starts(10)
        .event("MX[", 12, {u16(comm_split)})
        .event("MS[", 13)
        .event("MS]", 14)
        .event("MX]", 15, {u16(comm_split)})
        .event("MX[", 16, {u16(shared_query)})
        .event("MX]", 17, {u16(shared_query)})
        .ends(20);
    accept({"-l"});
    EXPECT_THAT(lines("thread.prv", 25), ElementsAre("1:0:25:0", "1:2:25:1070", "1:3:25:13", "1:4:25:1070",
                                                     "1:5:25:0", "1:6:25:1124", "1:7:25:0"));
    for (const char* labels : {"thread.pcf", "cpu.pcf"}) {
        EXPECT_THAT(text(labels),
                    HasSubstr("49   MPI_Iexscan\n1070 MPI_Comm_split\n1124 MPI_Win_shared_query"));
        EXPECT_THAT(text(labels), Not(HasSubstr("1071 ")));
    }
}

TEST_F(EmulatorTest, ShowsCallSitesInsideOfMpi) {
    constexpr uint16_t comm_split = 70;
    Identity rank = two_cpus;
    rank.require.emplace_back("mpi", "1.2.0");
    trace()
        .thread(rank)
        .set("mpi.modules.3", "- 0 /no/such/program")
        .set("mpi.sites.1", "MPI_Send 3+0x20")
        .set("mpi.sites.5", "MPI_Comm_split 3+0x10")
        .starts(10)
        .event("MX@", 12, {u32(1)})
        .event("MS[", 12)
        .event("MS]", 13)
        .event("MR[", 14)
        .event("MR]", 15)
        .event("MX@", 16, {u32(5)})
        .event("MX[", 16, {u16(comm_split)})
        .event("MX]", 17, {u16(comm_split)})
        .event("MS[", 18)
        .gap(20, 30, 3)
        .event("MS[", 31)
        .event("MS]", 32)
        .ends(40);
    Finished done = emulate({"-l"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("/no/such/program: cannot be read, so its call sites are addresses"));
    EXPECT_THAT(
        lines("thread.prv", 70000001),
        ElementsAre("1:0:70000001:0:80000001:0", "1:2:70000001:2:80000001:2", "1:3:70000001:0:80000001:0",
                    "1:6:70000001:1:80000001:1", "1:7:70000001:0:80000001:0", "1:8:70000001:2:80000001:2",
                    "1:10:70000001:0:80000001:0"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("0 70000001   Caller at level 1\nVALUES\n0    End\n"
                                              "1    program+0x10\n2    program+0x20\n"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("0 80000001   Caller line at level 1\nVALUES\n0    End\n"));
    EXPECT_THAT(text("cpu.pcf"), Not(HasSubstr("Caller")));
}

TEST_F(EmulatorTest, RefusesCallSitesThatNothingDescribes) {
    Identity rank = two_cpus;
    rank.require.emplace_back("mpi", "1.2.0");
    trace()
        .thread(rank)
        .set("mpi.modules.0", "- 0 /no/such/program")
        .set("mpi.sites.1", "MPI_Send 0+0x20")
        .starts(10)
        .event("MX@", 12, {u32(2)})
        .ends(20);
    Finished done = emulate();
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err,
                HasSubstr("stream.obs:36: event MX@ at clock 12 (time 2): stream.json does not describe "
                          "call site 2"));
    EXPECT_EQ(emulate({"--keep-going"}).status, 0);
}

TEST_F(EmulatorTest, RefusesMpiFunctionsThatItDoesNotKnow) {
    for (uint16_t number : {0, 587, 65535}) {
        another_trace();
        Identity rank = two_cpus;
        rank.require.emplace_back("mpi", "1.1.0");
        trace().thread(rank).starts(10).event("MX[", 12, {u16(number)}).ends(20);
        Finished done = emulate();
        EXPECT_EQ(done.status, 1);
        EXPECT_THAT(done.err, HasSubstr("no MPI function has the number " + std::to_string(number)));
    }
}

TEST_F(EmulatorTest, MovesAThreadBetweenCpus) {
    trace()
        .thread(two_cpus)
        .starts(10)
        .event("OAs", 11, {1})
        .event("OAs", 12, {1})
        .event("OAs", 13, {-1})
        .ends(14);
    accept({"-l"});
    EXPECT_THAT(lines("thread.prv", 6), ElementsAre("1:0:6:1", "1:1:6:2", "1:3:6:3", "1:4:6:0"));
    EXPECT_THAT(lines("cpu.prv", 3),
                ElementsAre("1:0:3:1", "1:1:3:0", "2:1:3:1", "2:3:3:0", "3:3:3:1", "3:4:3:0"));
}

TEST_F(EmulatorTest, MovesAnotherThreadOfTheLoom) {
    trace().thread(two_cpus).starts(10).event("OAr", 20, {1, 4322}).ends(30);
    Identity other = two_cpus;
    other.tid = 4322;
    trace().thread(other).starts(10, -1).event("OHp", 11).event("OHr", 25).ends(30);
    accept();
    EXPECT_THAT(lines("thread.prv", 6), Contains("2:10:6:2"));
}

TEST_F(EmulatorTest, ShowsTooManyThreadsOnAPhysicalCpuAsAnErrorState) {
    for (int tid : {1, 2}) {
        trace()
            .thread({.tid = tid, .require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}})
            .starts(int64_t{10} * tid)
            .event("MS[", 30)
            .event("MS]", 40)
            .ends(100 - 10 * tid);
    }
    Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr(" CPU 0.0 had more than one running thread: 1 times, 0.000 ms"));
    EXPECT_THAT(lines("cpu.prv", 25), ElementsAre("1:0:25:0", "1:10:25:777", "1:70:25:0"));
    EXPECT_THAT(lines("cpu.prv", 3), ElementsAre("1:0:3:1", "1:10:3:2", "1:70:3:1", "1:80:3:0"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("777  Error: too many threads"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("777 {255,   0,   0}"));
    EXPECT_THAT(text("thread.pcf"), Not(HasSubstr("777")));
    Finished strict = emulate({"-l"});
    EXPECT_EQ(strict.status, 1);
    EXPECT_THAT(strict.err, HasSubstr("more than one running thread on  CPU 0.0"));
}

TEST_F(EmulatorTest, LetsThreadsShareAVirtualCpu) {
    for (int tid : {1, 2}) trace().thread({.tid = tid}).starts(int64_t{10} * tid, -1).ends(100);
    accept({"-l"});
    EXPECT_THAT(lines("cpu.prv", 2), ElementsAre("2:0:2:1", "2:10:2:0", "2:90:2:2", "2:90:2:0"));
    EXPECT_THAT(text("cpu.pcf"), Not(HasSubstr("777")));
}

TEST_F(EmulatorTest, ShowsAGapAsNotTracedAndTakesEndsOfWhatBeganBefore) {
    trace()
        .thread({.require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}})
        .starts(10)
        .event("MS[", 20)
        .gap(30, 50, 3)
        .event("MS]", 60)
        .ends(70);
    Finished done = emulate({"-l"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("1 states ended after a gap"));
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "1:20:4:6", "1:40:4:1", "1:60:4:3"));
    EXPECT_THAT(lines("thread.prv", 25), ElementsAre("1:0:25:0", "1:10:25:13", "1:20:25:0"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("6    Not traced"));
}

TEST_F(EmulatorTest, KeepsTheLifeCycleInsideAGap) {
    trace().thread().starts(10).gap(30, std::nullopt).ends(70);
    accept({"-l"});
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "1:20:4:6", "1:60:4:3"));
}

TEST_F(EmulatorTest, TimeBeginsWithAGapBeforeTheFirstEvent) {
    trace().thread().gap(4, 10, 3).starts(10).ends(70);
    accept({"-l"});
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:6", "1:6:4:0", "1:6:4:1", "1:66:4:3"));
}

TEST_F(EmulatorTest, ShowsPunctualMarksForOneNanosecond) {
    trace()
        .thread()
        .mark(98, "single", "marker")
        .set("ovni.mark.98.punctual", true)
        .starts(10)
        .event("OM=", 20, {i64(7), 98})
        .event("OM=", 30, {i64(8), 98})
        .event("OM=", 30, {i64(9), 98})
        .ends(40);
    accept({"-l"});
    for (const char* file : {"thread.prv", "cpu.prv"})
        EXPECT_THAT(lines(file, 198), ElementsAre("1:0:198:0", "1:9:198:7", "1:10:198:0", "1:19:198:8",
                                                  "1:20:198:9", "1:20:198:0"));
}

// A literal emulator of the reference takes the mark for one whose values last.
TEST_F(EmulatorTest, PunctualMarksAreSingleOnesToTheReference) {
    trace()
        .thread()
        .mark(98, "single", "marker", {{7, "seven"}})
        .set("ovni.mark.98.punctual", true)
        .starts(10)
        .event("OM=", 20, {i64(7), 98})
        .ends(40);
    std::filesystem::path directory = trace().write();
    Finished done = run({std::string(SOURCE_DIR) + "/tests/oracle/oracle", "-l", "--order", "exact",
                         directory.string(), directory.string()});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(lines("thread.prv", 198), ElementsAre("1:0:198:0", "1:10:198:7", "1:30:198:0"));
}

TEST_F(EmulatorTest, PutsAPunctualMarkAmongTheLinesOfOtherThreads) {
    trace()
        .thread({.tid = 1, .cpus = {{0, 0}, {1, 1}}})
        .mark(98, "single", "marker")
        .set("ovni.mark.98.punctual", true)
        .starts(10)
        .event("OM=", 20, {i64(7), 98})
        .ends(40);
    trace().thread({.tid = 2, .cpus = {}}).starts(19, 1).ends(40);
    accept({"-l"});
    EXPECT_THAT(lines("thread.prv"),
                ElementsAre("1:0:6:1", "1:0:4:1", "1:0:2:1", "1:0:198:0", "2:9:6:2", "2:9:4:1", "2:9:2:2",
                            "2:9:198:0", "1:9:198:7", "1:10:198:0", "1:30:4:3", "1:30:2:0", "1:30:6:0",
                            "2:30:4:3", "2:30:2:0", "2:30:6:0"));
}

// The line that another stream wrote 1 ns before stays before the marker, though that stream has a higher
// index.
TEST_F(EmulatorTest, APunctualMarkComesAfterTheLastLineOfItsCpu) {
    trace()
        .thread({.tid = 1, .cpus = {{0, 0}, {1, 1}}})
        .mark(98, "single", "marker")
        .set("ovni.mark.98.punctual", true)
        .starts(10, 1)
        .event("OAs", 11, {0})
        .event("OM=", 20, {i64(7), 98})
        .ends(40);
    trace().thread({.tid = 2, .cpus = {}}).starts(12, 0).ends(19);
    accept();
    EXPECT_THAT(lines("cpu.prv", 198),
                ElementsAre("2:0:198:0", "1:1:198:0", "1:2:198:777", "1:9:198:0", "1:9:198:7", "1:10:198:0"));
}

TEST_F(EmulatorTest, EndsWhatTheProgramDidNotEnd) {
    trace()
        .thread({.require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}})
        .starts(10)
        .event("MS[", 20)
        .set("ovni.end", {{"by", "signal"}, {"code", 9}, {"clock", 20}});
    Finished done = emulate();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("1 of 1 streams were not ended by their program (1 by a signal)"));
    EXPECT_THAT(done.err, ContainsRegex("killed first: process [0-9]+, by signal 9 .Killed."));
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "1:10:4:3"));
    Finished strict = emulate({"-l"});
    EXPECT_EQ(strict.status, 1);
    EXPECT_THAT(strict.err, HasSubstr("was not ended by the program (by signal 9)"));
}

TEST_F(EmulatorTest, NamesWhoWasKilledFirstIfClocksTell) {
    const auto add = [&](const char* host, int pid, int64_t clock, int signal) {
        trace()
            .thread({.loom = host, .pid = pid, .tid = pid})
            .starts(10)
            .set("ovni.end", {{"by", "signal"}, {"code", signal}, {"clock", clock}});
    };
    add("a.x", 7, 500, 9);
    add("a.y", 8, 400, 15);
    EXPECT_THAT(emulate().err,
                HasSubstr("killed first: process 8, by signal 15 (Terminated), which comes from "));
    add("b.x", 9, 300, 11);
    EXPECT_THAT(emulate().err, Not(HasSubstr("killed first")));
}

TEST_F(EmulatorTest, CorrectsClocksByTheTableOfHosts) {
    trace().thread({.loom = "a.x"}).starts(1050).ends(1100);
    trace().thread({.loom = "b.y"}).starts(1010).ends(1100);
    trace().clock_offsets({{"a.long.name", -50}, {"b", 0}});
    accept();
    EXPECT_THAT(lines("thread.prv", 4), ElementsAre("1:0:4:1", "2:10:4:1", "1:50:4:3", "2:100:4:3"));
}

TEST_F(EmulatorTest, WarnsOfRanksWithoutStreams) {
    trace().thread({.loom = "a", .rank = 1, .nranks = 3}).starts(10).ends(20);
    Finished done = emulate({"-l"});
    EXPECT_EQ(done.status, 0) << done.err;
    const std::string missing = "2 of 3 ranks of application 1 have no stream, the first is rank 0";
    EXPECT_THAT(done.err, HasSubstr(missing));
    for (const std::vector<std::string>& table :
         {std::vector<std::string>{"--waiting"}, {"--mpi"}, {"--mpi", "--callsites"}, {"--messages"}}) {
        std::vector<std::string> words{program("ovnitop"), trace().path()};
        words.insert(words.end(), table.begin(), table.end());
        EXPECT_THAT(run(words).err, HasSubstr(missing)) << table.back();
    }
}

TEST_F(EmulatorTest, MeasuresBursts) {
    StreamBuilder& stream = trace().thread().starts(0);
    for (int i = 0; i < 100; ++i) stream.event("OB.", 100 + 10 * i);
    stream.ends(5000);
    Finished done = emulate();
    EXPECT_THAT(done.err, HasSubstr("node0.a burst stats: median/avg/max =  10/ 10/ 10 ns"));
}

TEST_F(EmulatorTest, TellsBurstsOfAllThreadsInOrderOfTime) {
    for (const auto& [loom, step] : {std::pair("a", 30), {"b", 20}, {"c", 200}}) {
        StreamBuilder& stream = trace().thread({.loom = loom}).starts(0);
        for (int i = 0; i < 100; ++i) stream.event("OB.", 100 + step * i);
        stream.ends(50000);
    }
    for (const char* threads : {"1", "3"}) {
        const std::string err = emulate({"-j", threads}).err;
        const size_t a = err.find("a burst stats: median/avg/max =  30/ 30/ 30 ns");
        const size_t b = err.find("b burst stats: median/avg/max =  20/ 20/ 20 ns");
        const size_t c = err.find("c burst stats: median/avg/max = 200/200/200 ns");
        EXPECT_TRUE(b < a && a < c && c != std::string::npos) << err;
        EXPECT_THAT(err, HasSubstr("c: one event takes more than 100 ns in the median"));
    }
}

TEST_F(EmulatorTest, TellsTheFirstHundredBursts) {
    for (const char* loom : {"a", "b"}) {
        StreamBuilder& stream = trace().thread({.loom = loom}).starts(0);
        for (int i = 0; i < 5'000; ++i) stream.event("OB.", 100 + 10 * i);
        stream.ends(200'000);
    }
    EXPECT_THAT(emulate().err, Not(HasSubstr("there are more")));
    StreamBuilder& another = trace().thread({.loom = "d"}).starts(0);
    for (int i = 0; i < 100; ++i) another.event("OB.", 100'000 + 30 * i);
    another.ends(200'000);
    for (const char* threads : {"1", "3"}) {
        const std::string err = emulate({"-j", threads}).err;
        EXPECT_THAT(err, HasSubstr("these are the first 100 bursts, there are more"));
        EXPECT_THAT(err, Not(HasSubstr(" 30/ 30/ 30 ns")));
    }
}

TEST_F(EmulatorTest, TellsBurstsUpToAnError) {
    StreamBuilder& good = trace().thread({.loom = "a"}).starts(0);
    for (int i = 0; i < 200; ++i) good.event("OB.", 100 + 10 * i);
    good.ends(50000);
    trace().thread({.loom = "b"}).starts(0).event("OHp", 1500).event("OHp", 1600).ends(50000);
    for (const char* threads : {"1", "2"}) {
        const Finished done = emulate({"-j", threads});
        EXPECT_EQ(done.status, 1);
        const size_t first = done.err.find("a burst stats:");
        ASSERT_NE(first, std::string::npos) << done.err;
        EXPECT_EQ(done.err.find("a burst stats:", first + 1), std::string::npos) << done.err;
    }
}

TEST_F(EmulatorTest, AnEmptyTraceHasNoRows) {
    Finished done = emulate({"--empty-ok"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("nothing was recorded here"));
    EXPECT_THAT(done.err, Not(HasSubstr("finished ok")));
    EXPECT_THAT(text("thread.prv"), HasSubstr("00000000000000000000_ns:0:1:1(0:1)"));
}

TEST_F(EmulatorTest, WritesIntoAnotherDirectory) {
    trace().thread().starts(10).ends(20);
    TemporaryDirectory elsewhere;
    accept({"-o", (elsewhere.path() / "a/b").string()});
    EXPECT_TRUE(std::filesystem::exists(elsewhere.path() / "a/b/thread.prv"));
    EXPECT_TRUE(std::filesystem::exists(elsewhere.path() / "a/b/cfg/cpu/ovni/tid.cfg"));
    EXPECT_FALSE(std::filesystem::exists(trace().path() / "thread.prv"));
    EXPECT_FALSE(std::filesystem::exists(trace().path() / "cfg"));
}

}  // namespace
}  // namespace ovni::test
