// ovnitop, ovnisort, and what all tools that read traces have in common.
#include "tests/unit/trace_tools.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "ovni/mpi_events.h"

namespace ovni::test {

// Names in a trace could move the cursor of a terminal, or make lines of their own.
TEST_F(TraceToolsTest, NamesOfTheProgramStayInTheirLine) {
    trace_.thread({.pid = 1, .tid = 1, .require = {{"ovni", "1.1.0"}, {"mpi", "1.2.0"}}})
        .set("mpi.modules.0", "- 0 /he\x1b[2Jat\nall")
        .set("mpi.sites.1", "MPI_Barrier 0+0x10")
        .set("ovni.counters", {"\x1b[2Jpage\nfaults"})
        .starts(1000)
        .event("MX@", 1001, {u32(1)})
        .event("C4A", 1002, {u32(1)})
        .event("MCb", 1002)
        .event("MCB", 1003)
        .jumbo("HMd", 1004, {u32(1), u64(2), "lo\x1b[2Jck\nall"})
        .event("HM[", 1005, {u32(1), 0})
        .event("HM]", 1006, {u32(1), 0, 0})
        .ends(1007);
    const std::vector<std::pair<std::string, std::vector<std::string>>> tools = {
        {"ovnidump", {}},
        {"ovnitop", {"--mpi", "--callsites"}},
        {"ovnitop", {"--locks"}},
        {"ovnitop", {"--counters"}}};
    for (const auto& [name, options] : tools) {
        Finished done = tool(name, options);
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_NE(done.out.find("[2J"), std::string::npos) << name;
        EXPECT_EQ((done.out + done.err).find('\x1b'), std::string::npos) << name;
        EXPECT_EQ(done.out.find("\nall+"), std::string::npos) << name;
    }
}

TEST_F(TraceToolsTest, TopNamesThePlaceOfAWrongObject) {
    trace_.thread({.pid = 1, .tid = 1}).starts(1000).jumbo("HMd", 1001, {u32(1)}).ends(1002);
    Finished top = tool("ovnitop", {"--locks"});
    EXPECT_EQ(top.status, 1);
    EXPECT_NE(top.err.find("stream.obs:36: event HMd: the definition of an object is too short"),
              std::string::npos)
        << top.err;
}

TEST_F(TraceToolsTest, TopEndsNoWaitThatBeganBehindAGap) {
    trace_.thread({.pid = 1, .tid = 1})
        .starts(1'000'000)
        .event("HM[", 1'500'000, {u32(1), 0})
        .gap(2'000'000, 3'000'000, 1)
        .event("HC[", 3'000'000, {u32(2), 0})
        .event("HM]", 4'000'000, {u32(1), 0, 0})
        .event("HC]", 8'000'000, {u32(2), 0, 0})
        .ends(9'000'000);
    std::string out = tool("ovnitop", {"--locks"}).out;
    EXPECT_THAT(out, testing::ContainsRegex("condition .* 1 +0.005000 +62.5 +0.005000"));
}

// Tools read thread by thread: the end of I/O may come before its beginning.
TEST_F(TraceToolsTest, TopCountsIoThatOneThreadBeginsAndAnotherCompletes) {
    constexpr uint16_t iread = 142, iwrite = 147;
    rank(0, 1)
        .starts(1000)
        .event("MWa", 3000, {u32(2)})
        .event("MXc", 3000, {u32(8), u32(OVNI_MPI_COMPLETED)})
        .event("MXb", 3000, {u64(500)})
        .event("MXc", 3000, {u32(9), u32(OVNI_MPI_COMPLETED)})
        .event("MXb", 3000, {u64(30)})
        .event("MWA", 4000)
        .ends(5000);
    StreamBuilder& begins =
        trace_.thread({.tid = 2, .rank = 0, .require = {{"ovni", "1.1.0"}, {"mpi", "1.4.0"}}});
    begins.starts(1000);
    for (const auto& [function, request] : {std::pair(iread, u32(8)), {iwrite, u32(9)}})
        begins.event("MX[", 2000, {u16(function)})
            .event("MX]", 2001, {u16(function), u16(0), u16(0), u16(0), request});
    begins.ends(5000);
    EXPECT_THAT(tool("ovnitop", {"--mpi"}).out,
                testing::ContainsRegex("\nall +MPI_Waitall +1 +0.000001 +25.0 +30 +500\n"));
}

// A path may name something that gives no end, or waits for a writer.
TEST_F(TraceToolsTest, TopReadsNoModuleThatIsNoFile) {
    const std::string pipe = trace_.write() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    trace_.thread({.pid = 1, .tid = 1})
        .set("mpi.modules.0", "- 0 " + pipe)
        .set("mpi.sites.1", "MPI_Barrier 0+0x10")
        .starts(1000)
        .ends(1001);
    Finished top = tool("ovnitop", {"--mpi", "--callsites"});
    EXPECT_EQ(top.status, 0) << top.err;
    EXPECT_NE(top.err.find("pipe: cannot be read"), std::string::npos) << top.err;
}

TEST_F(TraceToolsTest, TopPrintsOneTable) {
    example();
    Finished top = tool("ovnitop", {"--mpi", "--locks"});
    EXPECT_EQ(top.status, 2);
    EXPECT_NE(top.err.find("--mpi and --locks: choose one"), std::string::npos) << top.err;
}

TEST_F(TraceToolsTest, TopSaysThatATableIsEmpty) {
    example();
    for (const auto& [table, message] : {std::pair{"--mpi", "no call of MPI"},
                                         {"--locks", "no wait in POSIX threads"},
                                         {"--counters", "the trace has no counters"}}) {
        Finished top = tool("ovnitop", {table});
        EXPECT_EQ(top.status, 0) << top.err;
        EXPECT_NE(top.err.find(message), std::string::npos) << top.err;
    }
}

// Sanitizers take far more addresses than the test leaves.
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
TEST_F(TraceToolsTest, MemoryDoesNotGrowWithTheTrace) {
    StreamBuilder& stream = trace_.thread();
    for (int i = 0; i < 3'000'000; ++i) stream.event("OHp", i);
    std::string trace = trace_.write();
    for (const char* name : {"ovnidump", "ovnitop"}) {
        Finished little =
            run({"bash", "-c", "ulimit -v 32000; " + program(name) + " " + trace + " >/dev/null"});
        EXPECT_EQ(little.status, 0) << name << little.err;
    }
}
#endif

TEST_F(TraceToolsTest, TopCountsByCode) {
    StreamBuilder& stream = trace_.thread({.directory = "a"});
    for (const char* code : {"OHx", "6C[", "6C]", "6C[", "6C]", "OB."})
        stream.event(EventCode::from_chars(code), 1);
    trace_.thread({.directory = "b"}).event("OB.", 0).event("OB.", 9);
    Finished top = tool("ovnitop");
    EXPECT_EQ(top.status, 0);
    EXPECT_EQ(top.out, "OB.          3\n6C[          2\n6C]          2\nOHx          1\n");
    EXPECT_NE(top.err.find("100.0% done"), std::string::npos) << top.err;
    EXPECT_NE(top.err.find("processed 8 input events"), std::string::npos) << top.err;
}

TEST_F(TraceToolsTest, TopCountsAnyNumberOfCodes) {
    StreamBuilder& stream = trace_.thread();
    std::string expected;
    constexpr int codes = 60;
    for (char first = 'A'; first < 'A' + codes; ++first)
        for (char second = 'A'; second < 'A' + codes; ++second) {
            const char code[] = {first, second, '.', '\0'};
            stream.event(EventCode::from_chars(code), 1).event(EventCode::from_chars(code), 1);
            expected += std::string(code) + "          2\n";
        }
    EXPECT_EQ(tool("ovnitop").out, expected);
}

TEST_F(TraceToolsTest, TopCountsUpToTheDamage) {
    trace_.thread({.directory = "a"}).event("OB.", 1).event("OHe", 2).truncate(1);
    trace_.thread({.directory = "b"}).event("OB.", 1);
    Finished top = tool("ovnitop");
    EXPECT_EQ(top.status, 1);
    EXPECT_EQ(top.out, "OB.          2\n");
    EXPECT_NE(top.err.find("a/stream.obs:20"), std::string::npos) << top.err;
}

TEST_F(TraceToolsTest, AllToolsCompareChecksums) {
    StreamBuilder& stream =
        trace_.thread({.directory = "a"}).event("OB.", 1, {i64(1)}).checksums(100).flip(25);
    trace_.thread({.directory = "b"}).event("OB.", 1);
    for (auto [name, words] :
         {std::pair("ovnidump", std::vector<std::string>()), std::pair("ovnitop", std::vector<std::string>()),
          std::pair("ovnisort", std::vector<std::string>{"-c"})}) {
        Finished finished = tool(name, words);
        EXPECT_EQ(finished.status, 1) << name;
        EXPECT_NE(finished.err.find("a/stream.obs:8: the 20 bytes from here on have the checksum"),
                  std::string::npos)
            << finished.err;
    }
    EXPECT_EQ(tool("ovnitop").out, "OB.          2\n");
    stream.flip(25);
    for (const char* name : {"ovnidump", "ovnitop", "ovnisort"}) EXPECT_EQ(tool(name).status, 0) << name;
}

TEST_F(TraceToolsTest, SortRenewsChecksums) {
    trace_.thread().event("OHx", 10).event("OU[", 40).event("6C[", 12).event("OU]", 41).checksums(16);
    std::string trace = trace_.write();
    EXPECT_EQ(run({program("ovnisort"), trace}).status, 0);
    for (const char* name : {"ovnidump", "ovnitop"}) {
        Finished finished = run({program(name), trace});
        EXPECT_EQ(finished.status, 0);
        EXPECT_EQ(finished.err.find("checksum"), std::string::npos) << finished.err;
    }
}

TEST_F(TraceToolsTest, SortSortsAndChecks) {
    trace_.thread({.directory = "a"}).event("OHx", 10).event("OB.", 20).event("OB.", 30);
    trace_.thread({.directory = "b"}).event("OU[", 40).event("6C[", 12).event("6C]", 11).event("OU]", 41);
    std::filesystem::path trace = trace_.write();
    Finished check = run({program("ovnisort"), "-c", trace});
    EXPECT_EQ(check.status, 1);
    EXPECT_NE(check.err.find("b/stream.obs:20: the clock goes back from 40 to 12"), std::string::npos)
        << check.err;
    EXPECT_NE(check.err.find("streams NOT sorted"), std::string::npos);
    EXPECT_EQ(run({program("ovnisort"), trace}).status, 0);
    check = run({program("ovnisort"), "-c", trace});
    EXPECT_EQ(check.status, 0);
    EXPECT_NE(check.err.find("all streams sorted"), std::string::npos);
}

TEST_F(TraceToolsTest, SortLooksBackAsFarAsTold) {
    trace_.thread().event("OB.", 20).event("OB.", 30).event("OU[", 40).event("6C[", 12).event("OU]", 41);
    Finished sort = tool("ovnisort", {"-n", "3"});
    EXPECT_EQ(sort.status, 1);
    EXPECT_NE(sort.err.find("larger -n"), std::string::npos) << sort.err;
    EXPECT_EQ(tool("ovnisort", {"-n", "100"}).status, 0);
    EXPECT_EQ(tool("ovnisort", {"-n0"}).status, 2);
}

TEST_F(TraceToolsTest, SortWarnsAboutEmptyRegions) {
    trace_.thread().event("OU[", 40).event("OU]", 41);
    EXPECT_NE(tool("ovnisort").err.find("1 empty regions"), std::string::npos);
}

TEST_F(TraceToolsTest, NoMetadataButTheVersionIsNeeded) {
    trace_.thread().event("OB.", 1).json_text(R"({"version": 3})");
    for (const char* name : {"ovnidump", "ovnitop", "ovnisort"}) EXPECT_EQ(tool(name).status, 0) << name;
    trace_.thread({.tid = 2}).event("OB.", 1).json_text(R"({"version": 1})");
    for (const char* name : {"ovnidump", "ovnitop", "ovnisort"}) EXPECT_EQ(tool(name).status, 1) << name;
}

TEST_F(TraceToolsTest, HelpAndUsageErrorsHaveTheirStatus) {
    for (const char* name : {"ovnidump", "ovnitop", "ovnisort"}) {
        for (const char* option : {"-h", "--help"}) {
            Finished help = run({program(name), option});
            EXPECT_EQ(help.status, 0);
            EXPECT_EQ(help.out.rfind(std::string("usage: ") + name, 0), 0u) << help.out;
            EXPECT_EQ(help.err, "");
        }
        for (const std::vector<std::string>& wrong :
             {std::vector<std::string>{}, {"--wrong", "x"}, {"a", "b"}}) {
            std::vector<std::string> words{program(name)};
            words.insert(words.end(), wrong.begin(), wrong.end());
            Finished usage = run(words);
            EXPECT_EQ(usage.status, 2);
            EXPECT_EQ(usage.out, "");
            EXPECT_EQ(usage.err.rfind(name, 0), 0u) << usage.err;
        }
        EXPECT_EQ(run({program(name), "/nowhere"}).status, 1);
    }
}

TEST_F(TraceToolsTest, AnEmptyNameIsAUsageError) {
    std::string trace = trace_.write();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"ovnidump", ""}, {"ovniemu", ""}, {"ovniemu", "-o", "", trace}}) {
        std::vector<std::string> command = words;
        command[0] = program(words[0]);
        Finished usage = run(command);
        EXPECT_EQ(usage.status, 2);
        EXPECT_NE(usage.err.find("empty"), std::string::npos) << usage.err;
    }
}

TEST_F(TraceToolsTest, WhatCannotBePrintedIsAnError) {
    for (const char* command : {"ovniver", "ovniver --help", "ovniemu --help", "ovnidump --help"}) {
        Finished shell = run({"bash", "-c", program(command) + " >/dev/full"});
        EXPECT_EQ(shell.status, 1) << command;
        EXPECT_NE(shell.err.find("stdout: cannot write: No space left"), std::string::npos) << shell.err;
    }
}

TEST_F(TraceToolsTest, ErrorsThatCannotBeToldAreErrors) {
    for (const char* command : {"ovniemu /nowhere", "ovnitop --wrong", "ovnirecover /nowhere"}) {
        const Finished shell = run({"bash", "-c", program(command) + " 2>/dev/full"});
        EXPECT_EQ(shell.status, std::string_view(command).ends_with("--wrong") ? 2 : 1) << command;
    }
}

TEST_F(TraceToolsTest, AStreamThatWasCutWaitsForNobody) {
    rank(0, 1).starts(1000).event("MCb", 1002);
    const Finished top = tool("ovnitop", {"--waiting"});
    EXPECT_EQ(top.out, "no call of MPI and no wait in POSIX threads is open at the end of the trace\n");
    EXPECT_NE(top.err.find("ends inside of MPI_Barrier, though its program has ended it"), std::string::npos)
        << top.err;
}

TEST_F(TraceToolsTest, LostEventsAreToldWithEveryTable) {
    rank(0, 1).starts(1000).gap(1100, 1200, 5, "limit").event("OHe", 1300);
    for (const std::vector<std::string>& table :
         {std::vector<std::string>{}, {"--mpi"}, {"--messages"}, {"--waits"}, {"--pop"}, {"--waiting"}})
        EXPECT_NE(tool("ovnitop", table).err.find("WARN: events that were lost, and are in no table: 5\n"),
                  std::string::npos);
}

TEST_F(TraceToolsTest, EfficienciesSayOfHowManyRanksTheyAre) {
    rank(0, 2).starts(1000).event("MUi", 1001).event("MUI", 1002).event("OHe", 1003);
    const Finished top = tool("ovnitop", {"--pop"});
    EXPECT_NE(top.out.find("\n1 of 2 ranks, "), std::string::npos) << top.out << top.err;
}

TEST_F(TraceToolsTest, AStreamThatWasCutIsAnErrorOfEveryTool) {
    rank(0, 2)
        .starts(1000)
        .event("MUi", 1001)
        .event("MUI", 1002)
        .event("OHe", 1003)
        .checksums(1 << 10)
        .truncate(12);
    rank(1, 2)
        .starts(1000)
        .event("MCb", 1001)
        .set("ovni.end", {{"by", "signal"}, {"code", 9}, {"clock", 2000}});
    const std::string missing = "a block ends at byte";
    const std::string advice = "--keep-going emulates what is good of a damaged trace\n";
    for (const std::vector<std::string>& table :
         {std::vector<std::string>{}, {"--mpi"}, {"--messages"}, {"--waits"}, {"--pop"}, {"--waiting"}}) {
        const Finished top = tool("ovnitop", table);
        EXPECT_EQ(top.status, 1) << top.err;
        EXPECT_NE(top.err.find(missing), std::string::npos) << top.err;
        EXPECT_NE(top.err.find("ovnitop: INFO: ovniemu " + advice), std::string::npos) << top.err;
    }
    for (const char* name : {"ovnidump", "ovniemu"}) {
        const Finished finished = tool(name, {});
        EXPECT_EQ(finished.status, 1) << finished.err;
        EXPECT_NE(finished.err.find(missing), std::string::npos) << finished.err;
        EXPECT_NE(finished.err.find(advice), std::string::npos) << finished.err;
    }
    EXPECT_NE(tool("ovnitop", {"--waiting"}).out.find("rank 1 is in MPI_Barrier"), std::string::npos);
    const Finished partial = tool("ovniemu", {"--keep-going"});
    EXPECT_EQ(partial.status, 0) << partial.err;
    EXPECT_EQ(partial.err.find(advice), std::string::npos) << partial.err;
}

TEST_F(TraceToolsTest, QuietToolsPrintWarningsAndErrorsOnly) {
    rank(0, 1).starts(1000).gap(1100, 1200, 5, "limit").event("OHe", 1300);
    for (const char* name : {"ovnitop", "ovniemu", "ovnidump"}) {
        const Finished usual = tool(name), quiet = tool(name, {"--quiet"});
        EXPECT_EQ(quiet.status, 0) << quiet.err;
        EXPECT_EQ(quiet.out, usual.out);
        EXPECT_NE(usual.err.find(" INFO: "), std::string::npos) << name;
        EXPECT_EQ(quiet.err.find(" INFO: "), std::string::npos) << quiet.err;
    }
    EXPECT_NE(tool("ovnitop", {"--quiet"}).err.find(" WARN: events that were lost"), std::string::npos);
    const Finished wrong = run({program("ovnitop"), "--quiet", "/nowhere"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_NE(wrong.err.find("/nowhere"), std::string::npos) << wrong.err;
}

}  // namespace ovni::test
