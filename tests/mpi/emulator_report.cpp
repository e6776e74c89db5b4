// --report: the same document from one process and from any number of ranks.
#include "tests/mpi/emulator_test.hpp"
#include "tests/support/report_checks.hpp"

namespace ovni::test {
namespace {

class DistributedReportTest : public DistributedTest {
 protected:
    std::vector<std::string> report_to(const std::string& name, std::vector<std::string> options = {}) {
        options.insert(options.end(), {"--report", output(name).string()});
        return options;
    }
    // Expects `status`, and reports under names that have `inserted` in them; returns the report.
    std::string expect_same_report(int status, const std::vector<std::string>& options = {},
                                   const std::string& inserted = "") {
        fs::path directory = trace_.write();
        Finished expected = serial(directory, output("serial"), report_to("serial.json", options));
        EXPECT_EQ(expected.status, status) << expected.err;
        std::string text = read_file(output("serial" + inserted + ".json"));
        expect_mpi_times_as_in_states(Json::parse(text));
        for (const Workers& workers : every_sharing) {
            const std::string name = workers.name();
            Finished done = shared(workers, directory, output(name), report_to(name + ".json", options),
                                   {"OVNI_TEST_WINDOW=" + std::to_string(workers.number * 200)});
            EXPECT_EQ(done.status, status) << done.err;
            EXPECT_TRUE(text == read_file(output(name + inserted + ".json")));
            expect_same(output("serial"), output(name));
        }
        return text;
    }
};

TEST_F(DistributedReportTest, AllModelsAreReportedAsByOneProcess) {
    build(trace_,
          {.seed = 31, .looms = 5, .events = 1500, .models = every_model, .hosts = 2, .clock_offsets = true});
    Json all = Json::parse(expect_same_report(0, {"-b"}));
    EXPECT_EQ(all["processes"].size(), 10u);
    EXPECT_GT(all["ties"], 0);
}

TEST_F(DistributedReportTest, ARefusedEventOnASharedCpuIsReportedAsByOneProcess) {
    const auto thread = [&](int pid) -> StreamBuilder& {
        return trace_.thread({.pid = pid, .tid = pid, .cpus = {{0, 0}, {1, 1}}});
    };
    thread(1).starts(1000).ends(3000);
    thread(2).starts(1500).event("OHz", 1500).event("OAr", 1500, {1, 1}).ends(3000);
    expect_same_report(1, {}, ".partial");
    const std::string labels = read_file(output("serial") / "cpu.partial.pcf");
    EXPECT_THAT(labels, HasSubstr("Error: too many threads"));
}

TEST_F(DistributedReportTest, AnEventThatOnlyItsThreadRefusesIsReportedAsByOneProcess) {
    const auto thread = [&](int pid) -> StreamBuilder& {
        return trace_.thread({.pid = pid,
                              .tid = pid,
                              .cpus = {{0, 0}, {1, 1}},
                              .require = {{"ovni", "1.1.0"}, {"kernel", "1.0.0"}}});
    };
    thread(1).starts(1000).ends(3000);
    thread(2).starts(1200, -1).event("KCO", 1500).event("OAr", 1600, {1, 1}).ends(3000);
    const Json report = Json::parse(expect_same_report(1, {}, ".partial"));
    EXPECT_THAT(report["error"].get<std::string>(), HasSubstr("thread 2 is out of CPU"));
}

TEST_F(DistributedReportTest, ExactOrderIsReportedAsByOneProcess) {
    build(trace_, {.seed = 32, .looms = 3});
    expect_same_report(0, exact);
}

// The last stream, which is read for its metadata alone, is another rank's to read. Only that rank warns.
TEST_F(DistributedReportTest, AWarningOfOneRankIsReportedAsByOneProcess) {
    for (int pid : {1, 2, 3}) trace_.thread({.pid = pid, .tid = pid}).starts(1000, -1).ends(2000);
    trace_.thread({.pid = 4, .tid = 4}).unfinished().gaps_text("");
    const Json all = Json::parse(expect_same_report(0, {"--exact-order", "--keep-going"}));
    EXPECT_THAT(all["warnings"].dump(), HasSubstr("is empty: where events are missing is unknown"));
}

TEST_F(DistributedReportTest, AnErrorOfOneRankIsReportedAsByOneProcess) {
    for (int pid : {1, 2})
        trace_.thread({.pid = pid, .tid = pid}).starts(1000, -1).event("OHr", 1500 + pid).ends(3000);
    const Json report = Json::parse(expect_same_report(1, exact, ".partial"));
    EXPECT_THAT(report["error"].get<std::string>(), HasSubstr("stream.obs"));
}

TEST_F(DistributedReportTest, OddTracesAreReportedAsByOneProcess) {
    build(trace_, {.seed = 33, .looms = 3, .cpus = 1, .crowded = true});
    trace_.thread({.loom = "gaps", .pid = 5, .tid = 5, .rank = 900, .nranks = 901})
        .starts(1000, -1)
        .gap(1500, 1700, 4)
        .event("OB.", 1800)
        .gap(2000, 2500, 3, "full")
        .ends(3000)
        .set("ovni.end", {{"by", "signal"}, {"code", 9}});
    // The warning is that of one rank only.
    trace_.thread({.loom = "empty", .pid = 6, .tid = 6, .rank = 899, .nranks = 901})
        .starts(1000, -1)
        .ends(1500)
        .gaps_text("");
    trace_.thread({.loom = "other", .pid = 8, .tid = 8, .rank = 897, .nranks = 901})
        .starts(1000, -1)
        .gap(1500, 1700)
        .gap(1800, 1900, 1)
        .ends(2000);
    trace_.thread({.loom = "open", .pid = 7, .tid = 7, .rank = 898, .nranks = 901}).starts(1000, -1);
    Json all = Json::parse(expect_same_report(1));
    EXPECT_GT(all["crowded_cpus"].size(), 0u);
    EXPECT_EQ(all["gaps"]["lost"], 8);
    EXPECT_EQ(all["faults"].size(), 1u);
    EXPECT_EQ(all["missing_ranks"].size(), 1u);
    EXPECT_THAT(all["warnings"].dump(), HasSubstr("8 events of 2 threads were lost (3 full, 5 "));
    EXPECT_THAT(all["warnings"].dump(), HasSubstr("is empty: where events are missing is unknown"));
}

// Teams of two threads on two nodes: each thread has less to do than the one before.
TEST_F(DistributedReportTest, UsesOfThreadsAreThoseOfOneProcess) {
    for (int rank : {0, 1}) {
        const auto thread = [&](int number) -> StreamBuilder& {
            return trace_.thread({.loom = rank == 0 ? "node0.a" : "node1.a",
                                  .pid = 10 + rank,
                                  .tid = 100 * rank + number + 1,
                                  .rank = rank,
                                  .nranks = 2,
                                  .cpus = {{0, 0}, {1, 1}},
                                  .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}, {"openmp", "1.2.0"}}});
        };
        thread(0)
            .starts(1000, 0)
            .event("MUi", 1100)
            .event("MUI", 2000)
            .event("PCf", 3000)
            .event("PMu", 3000)
            .event("PBj", 6000 - 100 * rank)
            .event("PBJ", 6000)
            .event("PMU", 6000)
            .event("PCF", 6000)
            .event("MUf", 8000 + rank)
            .event("MUF", 9000)
            .ends(9500);
        thread(1).starts(2900, 1).event("PMu", 3000).event("PMU", 4000).ends(9400);
    }
    const Json hybrid = Json::parse(expect_same_report(0))["hybrid"];
    ASSERT_EQ(hybrid["processes"].size(), 2u);
    EXPECT_EQ(hybrid["processes"][0]["imbalance"], 2000);
    EXPECT_EQ(hybrid["processes"][1]["imbalance"], 1900);
    EXPECT_EQ(hybrid["processes"][1]["scheduling"], 200);
    EXPECT_EQ(hybrid["parallel_regions"].size(), 2u);
}

class ReportUpToAnErrorTest : public DistributedReportTest,
                              public testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(ReportUpToAnErrorTest, AWrongEventMakesAPartialReport) {
    build(trace_, {.seed = 34, .looms = 4, .events = 2000});
    trace_.thread({.loom = "bad", .pid = 9, .tid = 9, .rank = 900, .nranks = 901})
        .starts(1000, -1)
        .event("OHr", 60'000'000);
    Json all = Json::parse(expect_same_report(1, GetParam(), ".partial"));
    EXPECT_EQ(all["complete"], false);
    EXPECT_THAT(all["error"].get<std::string>(), HasSubstr("cannot run again"));
    EXPECT_GT(all["total"]["events"]["ovni"], 1000);
}

INSTANTIATE_TEST_SUITE_P(Orders, ReportUpToAnErrorTest, testing::Values(std::vector<std::string>(), exact),
                         [](const auto& each) { return each.param.empty() ? "Canonical" : "Exact"; });

TEST_F(DistributedReportTest, DamageIsReportedAsByOneProcess) {
    build(trace_, {.seed = 35, .looms = 3, .events = 2000});
    trace_.thread({.loom = "bad", .pid = 9, .tid = 9, .rank = 900, .nranks = 901})
        .starts(1000, -1)
        .event("OB.", 9000)
        .event("OB.", 12000)
        .truncate(3);
    expect_same_report(1, {}, ".partial");
}

TEST_F(DistributedReportTest, FilesInTheOutputDirectoryChangeNothing) {
    build(trace_, {.seed = 36, .looms = 2});
    fs::path directory = trace_.write();
    for (const char* name : {"first.json", "second.json"})
        EXPECT_EQ(distributed(2, directory, output("out"), report_to(name)).status, 0);
    EXPECT_EQ(read_file(output("first.json")), read_file(output("second.json")));
}

TEST_F(DistributedReportTest, NeedsNoMemoryForEvents) {
    for (int node : {1, 2}) {
        constexpr int events = 1'000'000;
        std::string loom = "n" + std::to_string(node) + ".x";
        StreamBuilder& stream = trace_.thread({.loom = loom, .pid = node, .tid = node}).starts(0);
        for (int i = 1; i < events; ++i) stream.event("OB.", i);
        stream.ends(events);
    }
    fs::path directory = trace_.write();
    auto peak_memory = [&](const std::vector<std::string>& options) {
        fs::path file = output("statistics.json");
        std::vector<std::string> all = {"--statistics", file.string()};
        all.insert(all.end(), options.begin(), options.end());
        Finished done = distributed(2, directory, output("out"), all);
        EXPECT_EQ(done.status, 0) << done.err;
        return Json::parse(read_file(file))[0]["peak_memory"].get<int64_t>();
    };
    constexpr int64_t much = 20 << 20;
    EXPECT_LT(peak_memory({"--report", output("r.json").string()}), peak_memory({}) + much);
}

TEST_F(DistributedReportTest, AReportThatCannotBeWrittenIsAnErrorBeforeAnythingElse) {
    trace_.thread().starts(10).ends(20);
    const fs::path directory = trace_.write();
    for (const char* option : {"--report", "--statistics"}) {
        Finished done = distributed(2, directory, output("out"), {option, "/proc/nowhere/x.json"});
        EXPECT_EQ(done.status, 1) << option;
        EXPECT_THAT(done.err, HasSubstr("/proc/nowhere/x.json: cannot create"));
        EXPECT_FALSE(fs::exists(output("out") / "thread.prv"));
    }
}

}  // namespace
}  // namespace ovni::test
