// The tables of ovnitop as text, CSV and JSON: top_tables.py compares the three.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "tests/support/temporary_directory.hpp"
#include "tests/unit/trace_tools.hpp"

namespace ovni::test {

namespace {

using testing::HasSubstr;

class TopTablesTest : public TraceToolsTest {
 protected:
    // Rank 1 is late in region late, and sends to rank 0 what it waits for; a thread of rank 0 waits for a
    // lock.
    void two_ranks() {
        for (int number : {0, 1}) {
            StreamBuilder& stream = rank_with_counters(number);
            stream.starts(1000, number);
            counted(stream, "MUi", 1100);
            counted(stream, "MUI", 2000);
            if (number == 0) {
                counted(stream, "MR[", 3000, {1, 7, 1, 0});
                counted(stream, "MR]", 6000, {u64(100), 1, 7});
                stream.jumbo("HMd", 7100, {u32(1), u64(2), "the, \"lock\""})
                    .event("HM[", 7200, {u32(1), 12})
                    .event("HM]", 7300, {u32(1), 12, 0});
            } else {
                counted(stream, "OM[", 3000, {i64(5), 99});
                counted(stream, "OM]", 4900, {i64(5), 99});
                counted(stream, "MS[", 5000, {0, 7, 1, 0});
                counted(stream, "MS]", 5100, {u64(100), 0, 7});
            }
            counted(stream, "MUf", 8000);
            counted(stream, "MUF", 9000);
            stream.ends(9500);
        }
    }
    // One of two ranks that have the CPUs of a node in turns, and call nothing between MPI_Init and
    // MPI_Finalize.
    StreamBuilder& idle_rank(int number, int cpus) {
        Identity identity{.loom = "a.x",
                          .pid = 10 + number,
                          .tid = 10 + number,
                          .rank = number,
                          .nranks = 2,
                          .cpus = {},
                          .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}}};
        for (int cpu = 0; cpu < cpus; ++cpu) identity.cpus.push_back({cpu, cpu});
        return trace_.thread(identity)
            .set("ovni.run", "job")
            .starts(1000 + number, number % cpus)
            .event("MUi", 1100)
            .event("MUI", 2000)
            .event("MUf", 8000)
            .event("MUF", 9000)
            .ends(9500);
    }
    // A thread of a parallel region has a third of the work of the other one.
    void team_of_two() {
        const auto thread = [&](int tid) -> StreamBuilder& {
            return trace_
                .thread({.loom = "a.x",
                         .pid = 10,
                         .tid = tid,
                         .rank = 0,
                         .nranks = 1,
                         .cpus = {{0, 0}, {1, 1}},
                         .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}, {"openmp", "1.2.0"}}})
                .set("ovni.run", "job")
                .mark(99, "stack", "MPI_Pcontrol region", {{5, "solve"}});
        };
        thread(10)
            .starts(1000, 0)
            .event("MUi", 1100)
            .event("MUI", 2000)
            .event("OM[", 2500, {i64(5), 99})
            .event("PCf", 3000)
            .event("PMu", 3010)
            .event("PBj", 6000)
            .event("PBJ", 6010)
            .event("PMU", 6010)
            .event("PCF", 6010)
            .event("OM]", 7000, {i64(5), 99})
            .event("MUf", 8000)
            .event("MUF", 9000)
            .ends(9500);
        thread(11).starts(2900, 1).event("PMu", 3010).event("PMU", 4010).ends(9400);
    }
    // Rank 0 waits for a message that never comes.
    void stuck() {
        rank(0, 2)
            .set("ovni.run", "job")
            .starts(1000)
            .event("MUi", 1100)
            .event("MUI", 2000)
            .event("MR[", 3000, {1, 7, 1, 0})
            .set("ovni.end", {{"by", "signal"}, {"code", 9}, {"clock", 9000}});
        rank(1, 2)
            .set("ovni.run", "job")
            .starts(1000)
            .event("MUi", 1100)
            .event("MUI", 2000)
            .event("MUf", 8000)
            .event("MUF", 9000)
            .ends(9500);
    }
    // The number of rows of each table, if the three forms agree.
    std::string compared(const std::vector<std::string>& words) {
        std::vector<std::string> command{"/usr/bin/python3", SOURCE_DIR "/tests/unit/top_tables.py",
                                         program("ovnitop")};
        command.insert(command.end(), words.begin(), words.end());
        if (words.empty() || words.back().starts_with("--")) command.push_back(trace_.write());
        const Finished done = run(command);
        EXPECT_EQ(done.status, 0) << done.err;
        return done.out;
    }
    // A report of the trace.
    std::string report(const std::string& name) {
        std::string file = directory_.path() / name;
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        const Finished done =
            run({program("ovniemu"), "--report", file, "-o", directory_.path() / "emulated", trace_.write()});
        EXPECT_EQ(done.status, 0) << done.err;
        return file;
    }
    TemporaryDirectory directory_;

 private:
    // A border, with what was counted before it.
    static void counted(StreamBuilder& stream, EventCode code, int64_t clock, Arguments arguments = {}) {
        stream.event("C4A", clock, {u32(5)}).event(code, clock, arguments);
    }
    StreamBuilder& rank_with_counters(int number) {
        StreamBuilder& stream = trace_.thread(
            {.loom = "a.x",
             .pid = 10 + number,
             .tid = 10 + number,
             .rank = number,
             .nranks = 2,
             .cpus = {{0, 0}, {1, 1}},
             .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}, {"counters", "1.0.0"}, {"pthread", "1.0.0"}}});
        return stream.set("ovni.run", "job")
            .set("ovni.counters", {"page-faults"})
            .mark(99, "stack", "MPI_Pcontrol region", {{5, "late"}});
    }
};

struct Expected {
    std::string name;
    std::vector<std::string> options;
    std::string rows;
};
void PrintTo(const Expected& expected, std::ostream* out) {
    *out << expected.name;
}
std::string name_of(const testing::TestParamInfo<Expected>& info) {
    return info.param.name;
}

class EveryTopTable : public TopTablesTest, public testing::WithParamInterface<Expected> {};

TEST_P(EveryTopTable, CsvAndJsonHaveTheNumbersOfText) {
    two_ranks();
    EXPECT_EQ(compared(GetParam().options), GetParam().rows + "\n");
}

TEST_P(EveryTopTable, AnEmptyTraceHasTablesWithoutRows) {
    trace_.thread().starts(1000).ends(1001);
    std::vector<std::string> words = GetParam().options;
    words.emplace_back("--json");
    const Finished done = tool("ovnitop", words);
    EXPECT_EQ(done.status, 0) << done.err;
    const Json tables = Json::parse(done.out);
    for (const auto& [name, rows] : tables.items())
        EXPECT_THAT(GetParam().rows, testing::ContainsRegex("(^| )" + name + " [0-9]")) << done.out;
}

INSTANTIATE_TEST_SUITE_P(
    Options, EveryTopTable,
    testing::Values(
        Expected{"events", {}, "events 16"}, Expected{"mpi", {"--mpi"}, "all 4, by_rank 6"},
        Expected{"callsites", {"--mpi", "--callsites"}, "all 4, by_rank 6"},
        Expected{"counters", {"--counters"}, "all 7, by_rank 10"},
        Expected{"locks", {"--locks"}, "all 1, by_rank 1, holders 1"},
        Expected{"regions", {"--regions"}, "all 1, by_rank 1"},
        Expected{"messages", {"--messages"}, "sums 1, unmatched 0, sizes 1, pairs 1"},
        Expected{"matrix", {"--matrix"}, "bytes_by_rank 2"},
        Expected{
            "waits", {"--waits"}, "by_kind 1, by_call_site 1, by_rank 1, by_host 1, longest 1, delays 2"},
        Expected{"pop",
                 {"--pop"},
                 "in_short 1, run 1, critical_path 4, regions 1, hybrid 0, hybrid_regions 0, hybrid_ranks 0"},
        Expected{"openmp", {"--openmp"}, "all 0, by_rank 0"},
        Expected{"waiting", {"--waiting"}, "calls 0, thread_waits 0"}),
    name_of);

TEST_F(TopTablesTest, SharesAreThoseOfTheTimeOfTheRank) {
    two_ranks();
    const Json tables = Json::parse(tool("ovnitop", {"--mpi", "--json"}).out);
    const Json& by_rank = tables["by_rank"];
    const auto of_recv =
        std::ranges::find_if(by_rank, [](const Json& r) { return r["function"] == "MPI_Recv"; });
    ASSERT_NE(of_recv, by_rank.end());
    EXPECT_EQ((*of_recv)["time_ns"], 3000);
    EXPECT_DOUBLE_EQ((*of_recv)["share_percent"].get<double>(), 100 * 3000 / 8500.0);
    const Json of_all = Json::parse(tool("ovnitop", {"--waits", "--json"}).out);
    const Json& wait = of_all["longest"][0];
    EXPECT_EQ(wait["time_ns"], 2000);
    EXPECT_DOUBLE_EQ(wait["share_percent"].get<double>(), 100 * 2000 / 7900.0);
}

TEST_F(TopTablesTest, WaitsHaveTheHostsOfRanks) {
    two_ranks();
    const Json tables = Json::parse(tool("ovnitop", {"--waits", "--json"}).out);
    EXPECT_EQ(tables["by_host"][0]["host"], "a");
    EXPECT_EQ(tables["by_host"][0]["cause_host"], "a");
    EXPECT_EQ(tables["longest"][0]["cause_host"], "a");
}

TEST_F(TopTablesTest, ThreadsOfATeamHaveHybridTables) {
    team_of_two();
    EXPECT_EQ(compared({"--openmp"}), "all 1, by_rank 1\n");
    EXPECT_EQ(compared({"--pop"}),
              "in_short 2, run 1, critical_path 2, regions 1, hybrid 1, hybrid_regions 1, hybrid_ranks 2\n");
    const Json tables = Json::parse(tool("ovnitop", {"--pop", "--json"}).out);
    const Json& rank = tables["hybrid_ranks"][0];
    EXPECT_EQ(rank["threads"], 2);
    EXPECT_EQ(rank["imbalance_ns"], 1990);
    EXPECT_THAT(tables["in_short"].dump(), HasSubstr("for the slowest one of their team"));
}

// Two ranks run on one CPU, as far as the trace knows.
struct Sharing {
    const char *cpu, *switches;
    bool is_blamed;
};
class SharedCpu : public TopTablesTest, public testing::WithParamInterface<Sharing> {};

TEST_P(SharedCpu, IsBlamedIfThreadsComputeAndDisplaceEachOther) {
    for (int number : {0, 1})
        idle_rank(number, 1)
            .set("mpi.use.wall_ns", "1000000000")
            .set("mpi.use.cpu_ns", GetParam().cpu)
            .set("mpi.use.involuntary_switches", GetParam().switches);
    const Json tables = Json::parse(tool("ovnitop", {"--pop", "--json"}).out);
    const bool is_blamed = tables["in_short"].dump().find("Several threads ran at once") != std::string::npos;
    EXPECT_EQ(is_blamed, GetParam().is_blamed) << tables["in_short"];
}
INSTANTIATE_TEST_SUITE_P(Switches, SharedCpu,
                         testing::Values(Sharing{"500000000", "100", true}, Sharing{"500000000", "0", false},
                                         Sharing{"1000000", "100", false}));

// Two ranks have some of CPUs 0 and 1 for a second.
struct Others {
    const char *busy, *switches;
    std::array<const char*, 2> cpus;
    const char* expected;  // empty: nothing
};
class OtherPrograms : public TopTablesTest, public testing::WithParamInterface<Others> {};

TEST_P(OtherPrograms, AreBlamedIfTheyDisplaceRanks) {
    for (int number : {0, 1})
        idle_rank(number, 2)
            .set("mpi.use.wall_ns", "1000000000")
            .set("mpi.use.cpu_ns", "600000000")
            .set("mpi.use.involuntary_switches", GetParam().switches)
            .set("mpi.use.busy_ns", GetParam().busy)
            .set("mpi.use.children_ns", "0")
            .set("mpi.use.cpus", GetParam().cpus[static_cast<size_t>(number)]);
    const std::string found = Json::parse(tool("ovnitop", {"--pop", "--json"}).out)["in_short"].dump();
    if (*GetParam().expected != '\0')
        EXPECT_THAT(found, HasSubstr(GetParam().expected));
    else
        EXPECT_THAT(found, testing::Not(HasSubstr("Other programs")));
}
INSTANTIATE_TEST_SUITE_P(
    Uses, OtherPrograms,
    testing::Values(Others{"2000000000", "100", {"0-1", "0-1"}, "took 40 % of the time of CPUs 0-1 of a,"},
                    Others{"1000000000", "100", {"0", "1"}, "took 40 % of the time of CPU 0 of a,"},
                    Others{"2000000000", "1", {"0-1", "0-1"}, ""},      // seldom displaced
                    Others{"1600000000", "100", {"0-1", "0-1"}, ""},    // CPUs are idle
                    Others{"2000000000", "100", {"0-1", "1"}, ""},      // whose time it is is unknown
                    Others{"2000000000", "100", {"all", "all"}, ""}));  // no list

TEST_F(TopTablesTest, CsvQuotesCommasAndQuotes) {
    two_ranks();
    EXPECT_THAT(tool("ovnitop", {"--locks", "--csv"}).out, HasSubstr(",\"the, \"\"lock\"\"\",1,100,"));
}

TEST_F(TopTablesTest, OpenCallsAreRows) {
    stuck();
    EXPECT_EQ(compared({"--waiting"}), "calls 1, thread_waits 0\n");
    const Json tables = Json::parse(tool("ovnitop", {"--waiting", "--json"}).out);
    const Json& call = tables["calls"][0];
    EXPECT_EQ(call["rank"], 0);
    EXPECT_EQ(call["function"], "MPI_Recv");
    EXPECT_EQ(call["open_ns"], 6000);
    EXPECT_EQ(call["deadlock"], nullptr);
}

TEST_F(TopTablesTest, ReportsStandBelowTheShortestNamesThatDiffer) {
    two_ranks();
    const std::string one = report("one/report.json"), other = report("other/report.json"),
                      last = report("last.json");
    const std::string text = run({program("ovnitop"), "--pop", one, other, last}).out;
    EXPECT_THAT(text,
                testing::ContainsRegex("^ +one/report.json +other/report.json +last.json\nranks +2 +2 +2\n"));
    EXPECT_EQ(compared({"--pop", one, other}), "reports 2\n");
    const Json compared = Json::parse(run({program("ovnitop"), "--pop", one, last, "--json"}).out);
    EXPECT_EQ(compared["reports"][0]["report"], "report.json");
    EXPECT_EQ(compared["reports"][1]["computation_scaling"], 1);
}

TEST_F(TopTablesTest, CsvAndJsonExcludeEachOther) {
    const Finished done = tool("ovnitop", {"--csv", "--json"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("--csv and --json: choose one"));
}

}  // namespace

}  // namespace ovni::test
