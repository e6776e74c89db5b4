// ovnidump, ovnitop and ovnisort as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "model/model_spec.hpp"
#include "tests/support/process.hpp"
#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

using ::testing::Test;

class TraceToolsTest : public Test {
 protected:
    TraceBuilder trace_;

    void example() {
        trace_.thread({.loom = "nodeA.app1", .pid = 4321, .tid = 4321})
            .event("OHx", 1000, {0, -1, u64(0x55)})
            .jumbo("??c", 1001, {u32(1), "hey"})
            .event("OM[", 1002, {i64(3), 5})
            .event("OHe", 1003);
    }
    Finished tool(const std::string& name, std::vector<std::string> words = {}) {
        words.insert(words.begin(), program(name));
        words.push_back(trace_.write());
        return run(words);
    }
    std::string dumped(std::vector<std::string> words = {}) { return tool("ovnidump", std::move(words)).out; }
};

TEST_F(TraceToolsTest, DumpDescribesEvents) {
    example();
    Finished dump = tool("ovnidump");
    EXPECT_EQ(dump.status, 0);
    const std::string path = "loom.nodeA.app1/proc.4321/thread.4321";
    EXPECT_EQ(dump.out, "      1000  OHx  " + path +
                            "  starts to run on CPU 0, created by thread -1, tag 0x55\n"
                            "      1001  ??c  " +
                            path + "  UNKNOWN\n      1002  OM[  " + path +
                            "  mark of type 5: push 3\n      1003  OHe  " + path + "  ends\n");
    EXPECT_NE(dump.err.find("stream.obs:36: no model knows the event ??c"), std::string::npos) << dump.err;
}

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

// The clock of the second node is 1000 ahead.
TEST_F(TraceToolsTest, DumpNamesPartnersOfMessages) {
    for (int rank = 0; rank < 2; ++rank) {
        const int peer = 1 - rank, later = 1000 * rank;
        StreamBuilder& stream = trace_.thread({.loom = "node" + std::to_string(rank) + ".a",
                                               .pid = 5 + rank,
                                               .tid = 5 + rank,
                                               .rank = rank,
                                               .nranks = 2,
                                               .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
        stream.set("ovni.run", "a-run")
            .starts(100 + later)
            .event("MUi", 101 + later)
            .event("MUI", 102 + later);
        if (rank == 0)
            stream.event("MS[", 110, {peer, 7, u32(1), u32(0)})
                .event("MS]", 120, {u64(20), peer, 7})
                .event("MRs", 200, {peer, 8, u32(1), u32(0)})
                .event("MXb", 200, {u64(30)})
                .event("MRS", 220, {u64(40), peer, 9});
        else
            stream.event("Mr[", 1105, {peer, 7, u32(1), u32(1)})
                .event("Mr]", 1106)
                .event("MW[", 1107, {u32(1)})
                .event("MXc", 1130, {u32(1), u32(0)})
                .event("MXr", 1130, {u64(20), peer, 7})
                .event("MW]", 1131)
                .event("MRs", 1201, {peer, 9, u32(1), u32(0)})
                .event("MXb", 1201, {u64(40)})
                .event("MRS", 1221, {u64(30), peer, 8});
        stream.event("MUf", 300 + later).event("MUF", 301 + later).ends(400 + later);
    }
    const std::string raw = dumped({"--partners"});
    const std::string sender = "loom.node0.a/proc.5/thread.5", receiver = "loom.node1.a/proc.6/thread.6";
    auto behind = [](const std::string& text, const std::string& begin) {
        const size_t line = text.find("\n" + begin) + 1;
        const size_t from = text.find(" -> ", line), back = text.find(" <- ", line),
                     end = text.find('\n', line);
        const size_t first = std::min(from, back);
        return first < end ? text.substr(first, end - first) : "";
    };
    EXPECT_EQ(behind(raw, "       110  MS["), " -> rank 1 " + receiver + " at 1131") << raw;
    EXPECT_EQ(behind(raw, "      1105  Mr["), " <- rank 0 " + sender + " at 110");
    EXPECT_EQ(behind(raw, "       200  MRs"),
              " -> rank 1 " + receiver + " at 1221 <- rank 1 " + receiver + " at 1201");
    EXPECT_EQ(behind(raw, "      1107  MW["), "");
    EXPECT_EQ(dumped().find(" -> "), std::string::npos);
    Finished part = run({program("ovnidump"), "--partners", trace_.write().string() + "/loom.node1.a"});
    EXPECT_EQ(behind(part.out, "      1105  Mr["), " <- rank 0 " + sender + " at 110") << part.err;
    trace_.file("clock-offsets.txt",
                "rank       hostname             offset_median        offset_mean          offset_std\n"
                "0          node0                0                    0.000000             0.000000\n"
                "1          node1                -1000                -1000.000000         0.000000\n");
    const std::string corrected = dumped({"--partners", "--corrected"});
    EXPECT_EQ(behind(corrected, "       110  MS["), " -> rank 1 " + receiver + " at 131") << corrected;
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
    EXPECT_THAT(out, testing::ContainsRegex("condition .* 1 +0.005000 +0.005000"));
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

TEST_F(TraceToolsTest, DumpFindsNoDeltasInALongEvent) {
    trace_.thread({.pid = 1, .tid = 1})
        .set("ovni.counters", {"page-faults"})
        .starts(1000)
        .jumbo("C4A", 1001, {u32(1)})
        .ends(1002);
    EXPECT_EQ(dumped().find("page-faults"), std::string::npos) << dumped();
}

TEST_F(TraceToolsTest, DumpNamesMpiFunctions) {
    trace_.thread({.pid = 1, .tid = 1})
        .event("MX[", 1000, {u16(70)})
        .event("MX]", 1001, {u16(70)})
        .event("MX[", 1002, {u16(9999)})
        .event("MX[", 1003);
    std::string out = dumped();
    for (const char* line :
         {"begin: MPI_Comm_split\n", "end: MPI_Comm_split\n", "begin: unknown 9999\n", "begin: <missing>\n"})
        EXPECT_NE(out.find(line), std::string::npos) << line << out;
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

TEST_F(TraceToolsTest, DumpShowsBytes) {
    example();
    Finished dump = tool("ovnidump", {"-x"});
    EXPECT_EQ(dump.status, 0);
    const std::string path = "loom.nodeA.app1/proc.4321/thread.4321";
    EXPECT_EQ(dump.out, "      1000  OHx  " + path +
                            "  :00:00:00:00:ff:ff:ff:ff:55:00:00:00:00:00:00:00\n"
                            "      1001  ??c  " +
                            path + "  :08:00:00:00:01:00:00:00:68:65:79:00\n      1002  OM[  " + path +
                            "  :03:00:00:00:00:00:00:00:05:00:00:00\n      1003  OHe  " + path + "  \n");
    EXPECT_EQ(dump.err.find("UNKNOWN"), std::string::npos);
}

// Against describe(), with payloads that are as long as they should be, and too short.
TEST_F(TraceToolsTest, DumpDescribesEveryEventOfEveryModel) {
    StreamBuilder& stream = trace_.thread({.directory = "a"});
    std::string expected;
    int64_t clock = 1'000'000;
    auto add = [&](const EventEntry& entry, size_t bytes) {
        std::string payload;
        for (size_t i = 0; i < bytes; ++i) payload += static_cast<char>(clock + static_cast<int64_t>(i) * 91);
        if (entry.signature.jumbo) payload += std::string("a\tlabel\0", 8);
        std::string whole = payload;
        if (entry.signature.jumbo) {
            auto size = static_cast<uint32_t>(payload.size());
            whole.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
            stream.jumbo(entry.signature.code, clock, {raw(payload)});
        } else {
            stream.event(entry.signature.code, clock, {raw(payload)});
        }
        std::string text =
            describe(entry.event->description, entry.signature,
                     {reinterpret_cast<const uint8_t*>(whole.data()), whole.size()}, entry.event->name_of);
        std::replace(text.begin(), text.end(), '\t', '?');
        expected += fmt::format("{:10}  {}  a  {}\n", clock, entry.signature.code.text().data(), text);
        clock += 1003;
    };
    for (const ModelSpec* model : all_models())
        for (const EventEntry& entry : events_of(*model)) {
            add(entry, entry.signature.fixed_bytes());
            if (entry.signature.fixed_bytes() > 4) add(entry, 3);
        }
    EXPECT_EQ(dumped(), expected);
}

TEST_F(TraceToolsTest, DumpPrintsAnyClock) {
    StreamBuilder& stream = trace_.thread({.directory = "a"});
    std::string expected;
    for (int64_t clock : {INT64_MIN, INT64_C(-10'000), INT64_C(-1), INT64_C(0), INT64_C(9), INT64_C(9999),
                          INT64_C(10'000), INT64_C(10'001), INT64_C(99'999), INT64_C(999'999'999),
                          INT64_C(1'000'000'000), INT64_C(9'999'999'999), INT64_C(10'000'000'000),
                          INT64_C(1'234'567'890'123'456), INT64_MAX - 10'000, INT64_MAX}) {
        stream.event("OHe", clock);
        expected += fmt::format("{:10}  OHe  a  ends\n", clock);
    }
    EXPECT_EQ(dumped(), expected);
}

TEST_F(TraceToolsTest, DumpOfOneStreamHasAnEmptyPath) {
    trace_.thread({.directory = "a"}).event("OHe", 7);
    Finished dump = run({program("ovnidump"), trace_.write() / "a/"});
    EXPECT_EQ(dump.out, "         7  OHe    ends\n");
}

TEST_F(TraceToolsTest, DumpCorrectsClocks) {
    trace_.thread({.loom = "a.0", .pid = 1, .tid = 1}).event("OHx", 1000).event("OHe", 1003);
    trace_.thread({.loom = "b.0", .pid = 2, .tid = 2}).event("OHx", 501).event("OHe", 502);
    trace_.clock_offsets({{"a", 0}, {"b", 500}});
    auto order = [&](std::vector<std::string> words) {
        std::string clocks, out = dumped(std::move(words));
        for (size_t at = 0; at < out.size(); at = out.find('\n', at) + 1)
            clocks += std::to_string(std::stol(out.substr(at))) + " ";
        return clocks;
    };
    EXPECT_EQ(order({}), "501 502 1000 1003 ");
    EXPECT_EQ(order({"--corrected"}), "1000 1001 1002 1003 ");
    std::string table = trace_.write() / "other";
    trace_.file("other", "header\n0 a 0 0 0\n1 b 1000 0 0\n");
    EXPECT_EQ(order({"--corrected", "-c", table}), "1000 1003 1501 1502 ");
    EXPECT_EQ(tool("ovnidump", {"-c", table}).status, 2);
    // A part of a trace knows of the whole.
    for (const char* part : {"loom.b.0", "loom.b.0/proc.2", "loom.b.0/proc.2/thread.2"}) {
        Finished dump = run({program("ovnidump"), "--corrected", (trace_.write() / part).string()});
        EXPECT_TRUE(dump.out.starts_with("      1001")) << dump.out << dump.err;
    }
}

TEST_F(TraceToolsTest, DumpMergesStreamsAndTakesDecreasingClocks) {
    trace_.thread({.directory = "a"}).event("OHx", 10, {0, -1, u64(0)}).event("OHp", 5).event("OHe", 30);
    trace_.thread({.directory = "b"}).event("OHe", 20);
    trace_.clock_offsets({{"node0", 1000}});
    Finished dump = tool("ovnidump", {"-x"});
    EXPECT_EQ(dump.out,
              "        10  OHx  a  :00:00:00:00:ff:ff:ff:ff:00:00:00:00:00:00:00:00\n"
              "         5  OHp  a  \n        20  OHe  b  \n        30  OHe  a  \n");
    EXPECT_NE(dump.err.find("1 events have a lower clock"), std::string::npos) << dump.err;
    EXPECT_EQ(dump.status, 0);
}

TEST_F(TraceToolsTest, DumpShowsGaps) {
    trace_.thread({.directory = "a"}).event("OHp", 10).gap(12, 15, 7, "limit").event("OHe", 20);
    EXPECT_EQ(dumped({"-x"}),
              "        10  OHp  a  \n        12  ---  a  gap begins: 7 events lost, limit\n"
              "        15  ---  a  gap ends\n        20  OHe  a  \n");
}

TEST_F(TraceToolsTest, DumpKeepsLinesWholeWhateverLabelsHold) {
    trace_.thread({.directory = "a"}).event("O\n.", 1).jumbo("OHe", 2, {"x"});
    EXPECT_EQ(dumped(), "         1  O?.  a  UNKNOWN\n         2  OHe  a  UNKNOWN\n");
}

TEST_F(TraceToolsTest, DumpPrintsWhatComesBeforeTheDamage) {
    trace_.thread({.directory = "a"}).event("OHp", 10).event("OHe", 20).truncate(1);
    Finished dump = tool("ovnidump");
    EXPECT_EQ(dump.status, 1);
    EXPECT_EQ(dump.out, "        10  OHp  a  pauses\n");
    EXPECT_NE(dump.err.find("a/stream.obs:20: incomplete event"), std::string::npos) << dump.err;
}

TEST_F(TraceToolsTest, DumpDoesNotMindAReaderThatGoes) {
    StreamBuilder& stream = trace_.thread();
    for (int i = 0; i < 100'000; ++i) stream.event("OHp", i);
    std::string dump = program("ovnidump") + " " + trace_.write().string();
    Finished shell = run({"bash", "-c", "set -o pipefail; " + dump + " 2>&1 | head -n 1"});
    EXPECT_EQ(shell.status, 0) << shell.err;
}

TEST_F(TraceToolsTest, DumpNeedsFewDescriptors) {
    for (int t = 1; t <= 40; ++t) {
        StreamBuilder& stream = trace_.thread({.tid = t});
        for (int i = 0; i < 6000; ++i) stream.event("OHp", i);
    }
    std::string dump = program("ovnidump") + " " + trace_.write().string();
    Finished many = run({"bash", "-c", dump + " | md5sum"});
    Finished few = run({"bash", "-c", "ulimit -n 20; set -o pipefail; " + dump + " | md5sum"});
    EXPECT_EQ(few.status, 0) << few.err;
    EXPECT_EQ(few.out, many.out);
}

#ifndef __SANITIZE_ADDRESS__
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

TEST_F(TraceToolsTest, DumpReportsAFullDisk) {
    example();
    Finished shell = run({"bash", "-c", program("ovnidump") + " " + trace_.write().string() + " >/dev/full"});
    EXPECT_EQ(shell.status, 1);
    EXPECT_NE(shell.err.find("No space left"), std::string::npos) << shell.err;
}

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

TEST_F(TraceToolsTest, AllCompareChecksums) {
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

TEST_F(TraceToolsTest, HelpAndUsageErrors) {
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

}  // namespace

}  // namespace ovni::test
