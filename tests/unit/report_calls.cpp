// ovniemu --report: the times of MPI calls, which are those of the states that the document has of them.
#include "tests/support/random_trace.hpp"
#include "tests/support/report_checks.hpp"
#include "tests/unit/report_test.hpp"

namespace ovni::test {

namespace {

using testing::HasSubstr;

// Calls that a gap interrupts, that never return, that lie within another, and of a thread that pauses.
class OpenCallsTest : public ReportTest {
 protected:
    void SetUp() override {
        const std::vector<std::pair<std::string, std::string>> mpi = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}};
        trace_.thread({.loom = "a.x", .pid = 1, .tid = 1, .rank = 0, .nranks = 4, .require = mpi})
            .starts(1'000'000)
            .event("MR[", 1'100'000)
            .event("MR]", 1'200'000)
            .gap(1'300'000, 8'000'000, 4, "full")
            .event("MR]", 8'500'000)
            .ends(9'000'000);
        trace_.thread({.loom = "b.x", .pid = 2, .tid = 2, .rank = 1, .nranks = 4, .require = mpi})
            .starts(1'000'000)
            .event("MS[", 1'100'000)
            .gap(1'300'000, 8'000'000, 4, "full")
            .event("MS]", 8'500'000, {u64(7), 1, 7})
            .ends(9'000'000);
        trace_.thread({.loom = "c.x", .pid = 3, .tid = 3, .rank = 2, .nranks = 4, .require = mpi})
            .starts(1'000'000)
            .event("MW[", 1'100'000)
            .event("OB.", 7'000'000)
            .set("ovni.end", {{"by", "signal"}, {"code", 9}});
        trace_.thread({.loom = "d.x", .pid = 4, .tid = 4, .rank = 3, .nranks = 4, .require = mpi})
            .starts(1'000'000)
            .event("MWa", 1'100'000)
            .event("MT[", 1'200'000)
            .event("OHp", 1'300'000)
            .event("OHr", 1'600'000)
            .event("MT]", 1'650'000)
            .event("MWA", 2'000'000)
            .ends(2'100'000);
    }
    static Json times_of(const Json& sums) {
        Json times;
        for (const Json& function : sums["mpi"])
            times[function["function"].get<std::string>()] = {function["calls"], function["ns"]};
        return times;
    }
};

TEST_F(OpenCallsTest, EndWhereTheirStateDoes) {
    Json all = report();
    expect_mpi_times_as_in_states(all);
    EXPECT_EQ(
        times_of(all["total"]).dump(),
        R"({"MPI_Wait":[1,5900000],"MPI_Waitall":[1,450000],"MPI_Test":[1,150000],"MPI_Recv":[1,100000],"MPI_Send":[1,200000]})");
}

TEST_F(OpenCallsTest, ReportAndOvnitopCountOpenCallsAlike) {
    Json total = report()["total"];
    std::string out = run({program("ovnitop"), "--mpi", trace_.path().string()}).out;
    for (const Json& function : total["mpi"]) {
        char row[100];
        std::snprintf(row, sizeof row, "\nall      %-28s %10d %14.6f",
                      function["function"].get<std::string>().c_str(), function["calls"].get<int>(),
                      function["ns"].get<double>() / 1e9);
        EXPECT_THAT(out, HasSubstr(row));
    }
}

TEST_F(OpenCallsTest, EndWithAPartialReport) {
    trace_.thread({.loom = "e.x", .pid = 5, .tid = 5}).starts(1'000'000).event("OHr", 1'500'000);
    EXPECT_EQ(emulate().status, 1);
    Json all = Json::parse(read_file(file("report.partial.json")));
    expect_mpi_times_as_in_states(all);
    EXPECT_EQ(times_of(all["total"])["MPI_Wait"].dump(), "[1,400000]");
}

TEST_F(ReportTest, TimesInMpiAreThoseOfStates) {
    build(trace_, {.seed = 5, .looms = 3, .models = every_model, .clock_offsets = true});
    Json all = report();
    EXPECT_GT(all["total"]["mpi"].size(), 5u);
    expect_mpi_times_as_in_states(all);
}

}  // namespace

}  // namespace ovni::test
