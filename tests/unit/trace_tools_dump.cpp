// ovnidump.
#include <gmock/gmock.h>

#include <algorithm>

#include "model/model_spec.hpp"
#include "tests/unit/trace_tools.hpp"

namespace ovni::test {

using testing::HasSubstr;

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

TEST_F(TraceToolsTest, DumpTellsWhatWasNotRecorded) {
    trace_.thread({.require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}}})
        .starts(1000)
        .jumbo("MXk", 1100, {u32(1), u32(2), u64(1), 0, 1, 7, u32(3), u32(2)})
        .jumbo("MXu", 1101, {u32(1), u32(2), u64(1), 0, -1, 7, u32(9)})
        .jumbo("MXe", 1102, {u32(4), u32(1), 1, 7})
        .ends(1500);
    const std::string out = dumped();
    EXPECT_THAT(out, HasSubstr("not recorded: sends=3 receives=2 peer=1 tag=7 communicator=1\n"));
    EXPECT_THAT(out,
                HasSubstr("receive 9 is under way, its begin not recorded: peer=any tag=7 communicator=1\n"));
    EXPECT_THAT(out, HasSubstr("request 4 has ended, not recorded: cancelled\n"));
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

TEST_F(TraceToolsTest, DumpReportsAFullDisk) {
    example();
    Finished shell = run({"bash", "-c", program("ovnidump") + " " + trace_.write().string() + " >/dev/full"});
    EXPECT_EQ(shell.status, 1);
    EXPECT_NE(shell.err.find("No space left"), std::string::npos) << shell.err;
}

}  // namespace ovni::test
