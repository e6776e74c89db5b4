// Visits of regions of MPI_Pcontrol, in the report and in ovnitop --regions.
#include "tests/support/random_regions.hpp"
#include "tests/support/report_checks.hpp"
#include "tests/unit/report_test.hpp"

namespace ovni::test {

namespace {

class RegionReportTest : public ReportTest {
 protected:
    StreamBuilder& rank(int number) {
        StreamBuilder& stream = trace_.thread({.loom = "a.x",
                                               .pid = 1 + number,
                                               .tid = 1 + number,
                                               .rank = number,
                                               .nranks = 3,
                                               .cpus = {{0, 0}, {1, 1}, {2, 2}},
                                               .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
        stream.mark(99, "stack", "region", {{7, "solve"}, {8, "halo"}});
        return stream.starts(1'000'000, number);
    }
    static void enter(StreamBuilder& stream, int64_t region, int64_t microseconds) {
        stream.event("OM[", microseconds * 1000, {i64(region), 99});
    }
    static void leave(StreamBuilder& stream, int64_t region, int64_t microseconds) {
        stream.event("OM]", microseconds * 1000, {i64(region), 99});
    }
    static Json sums(const char* region, int visits, int64_t inclusive, int64_t exclusive) {
        return {{"region", region},
                {"visits", visits},
                {"inclusive", inclusive * 1000},
                {"exclusive", exclusive * 1000}};
    }
    static Json spread(int64_t least, int64_t mean, int64_t most) {
        return {{"min", least * 1000}, {"mean", mean * 1000}, {"max", most * 1000}};
    }
    std::string top() { return run({program("ovnitop"), "--regions", trace_.write()}).out; }
};

TEST_F(RegionReportTest, NestedRegionsCountOnceAndTheirTimeIsNotThatOfTheOuterOne) {
    // solve from 1100 to 1400 with halo from 1150 to 1250, in which solve is for 20; halo alone for 100.
    StreamBuilder& first = rank(0);
    enter(first, 7, 1100);
    enter(first, 8, 1150);
    enter(first, 7, 1200);
    leave(first, 7, 1220);
    leave(first, 8, 1250);
    leave(first, 7, 1400);
    enter(first, 8, 1500);
    leave(first, 8, 1600);
    first.ends(2'000'000);
    StreamBuilder& second = rank(1);
    for (int64_t begin : {1100, 1300}) enter(second, 7, begin), leave(second, 7, begin + 50);
    second.ends(2'000'000);
    rank(2).ends(2'000'000);
    Json all = report({"-l"});
    EXPECT_EQ(all["processes"][0]["regions"], Json({sums("solve", 1, 300, 220), sums("halo", 2, 200, 180)}));
    EXPECT_EQ(all["processes"][1]["regions"], Json({sums("solve", 2, 100, 100)}));
    EXPECT_EQ(all["processes"][2]["regions"], Json::array());
    Json solve = sums("solve", 3, 400, 320), halo = sums("halo", 2, 200, 180);
    solve.update({{"processes", 2},
                  {"inclusive_of_each", spread(100, 200, 300)},
                  {"exclusive_of_each", spread(100, 160, 220)}});
    halo.update({{"processes", 1},
                 {"inclusive_of_each", spread(200, 200, 200)},
                 {"exclusive_of_each", spread(180, 180, 180)}});
    EXPECT_EQ(all["total"]["regions"], Json({solve, halo}));
    EXPECT_EQ(top(),
              "rank     region                       visits        seconds      %  without inner  ranks"
              " of each: min         mean          max     w/o: min         mean          max\n"
              "all      solve                             3       0.000400   13.3       0.000320      2"
              "     0.000100     0.000200     0.000300     0.000100     0.000160     0.000220\n"
              "all      halo                              2       0.000200    6.7       0.000180      1"
              "     0.000200     0.000200     0.000200     0.000180     0.000180     0.000180\n"
              "0        solve                             1       0.000300   30.0       0.000220\n"
              "0        halo                              2       0.000200   20.0       0.000180\n"
              "1        solve                             2       0.000100   10.0       0.000100\n");
}

TEST_F(RegionReportTest, AGapAndTheEndOfTheStreamEndVisits) {
    StreamBuilder& first = rank(0);
    enter(first, 7, 1100);
    first.gap(1'200'000, 1'700'000, 4, "full");
    leave(first, 7, 1800);
    first.ends(2'000'000);
    StreamBuilder& second = rank(1);
    enter(second, 8, 1100);
    second.event("OB.", 1'600'000).set("ovni.end", {{"by", "signal"}, {"code", 9}});
    Json all = report();
    EXPECT_EQ(all["processes"][0]["regions"], Json({sums("solve", 1, 100, 100)}));
    EXPECT_EQ(all["processes"][1]["regions"][0]["visits"], 1);
    EXPECT_GE(all["processes"][1]["regions"][0]["inclusive"], 500'000);
}

// solve: 100 before the pause, 100 behind it, in which halo is for 30 and was before for 50.
TEST_F(RegionReportTest, APauseOfRecordingInterruptsVisits) {
    StreamBuilder& first = rank(0);
    enter(first, 7, 1100);
    enter(first, 8, 1150);
    leave(first, 8, 1200);
    leave(first, 7, 1200);
    first.gap(1'200'000, 1'700'000, 0, "paused");
    enter(first, 7, 1700);
    enter(first, 8, 1700);
    leave(first, 8, 1730);
    leave(first, 7, 1800);
    enter(first, 7, 1900);
    leave(first, 7, 1950);
    first.ends(2'000'000);
    Json all = report();
    EXPECT_EQ(all["processes"][0]["regions"], Json({sums("solve", 2, 250, 170), sums("halo", 1, 80, 80)}));
    EXPECT_THAT(top(), testing::HasSubstr("\n0        solve                             2       0.000250"));
}

// The visit of solve ends in the pause, and that of halo is opened in it; a gap that is no pause ends all.
TEST_F(RegionReportTest, VisitsThatEndInAPauseDoNotGoOn) {
    StreamBuilder& first = rank(0);
    enter(first, 7, 1100);
    leave(first, 7, 1200);
    first.gap(1'200'000, 1'700'000, 0, "region");
    for (int visit = 0; visit < 2; ++visit) enter(first, 7, 1700), leave(first, 7, visit == 0 ? 1700 : 1800);
    enter(first, 8, 1900);
    first.gap(1'920'000, 1'930'000, 4, "full");
    enter(first, 8, 1930);
    leave(first, 8, 1940);
    first.ends(2'000'000);
    Json all = report();
    EXPECT_EQ(all["processes"][0]["regions"], Json({sums("solve", 2, 200, 200), sums("halo", 2, 30, 30)}));
}

// solve is closed below halo, which is closed and opened at that time.
TEST_F(RegionReportTest, ARegionThatOthersAreClosedBelowIsOneVisit) {
    StreamBuilder& first = rank(0);
    enter(first, 7, 1100);
    enter(first, 8, 1150);
    leave(first, 8, 1200);
    leave(first, 7, 1200);
    enter(first, 8, 1200);
    leave(first, 8, 1300);
    first.ends(2'000'000);
    EXPECT_EQ(report()["processes"][0]["regions"],
              Json({sums("solve", 1, 100, 50), sums("halo", 1, 150, 150)}));
}

TEST_F(RegionReportTest, ExclusiveTimesAddUpToTheTimeInRegions) {
    build_regions(trace_, 9, 4);
    Json all = report();
    for (const Json& process : all["processes"]) {
        uint64_t shown = 0, exclusive = 0;
        for (const Json& type : process["states"])
            if (type["type"] == 199)
                for (const Json& value : type["values"]) shown += value["ns"].get<uint64_t>();
        for (const Json& region : process["regions"]) {
            exclusive += region["exclusive"].get<uint64_t>();
            EXPECT_GE(region["inclusive"], region["exclusive"]);
        }
        EXPECT_EQ(exclusive, shown);
        EXPECT_GT(shown, 0u);
    }
    EXPECT_THAT(top(), testing::HasSubstr("\n3        halo"));
}

}  // namespace

}  // namespace ovni::test
