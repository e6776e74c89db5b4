// The part of a trace that options choose, alike for ovnicut and ovnidump.
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

using ::testing::HasSubstr;

class FocusTest : public CutByOptions {
 protected:
    // Rank 0 is in the region from 110 to 130 and from 150 to 170, rank 1 10 later; MPI_Init ends at 30, 40.
    void enter_regions() {
        for (int rank = 0; rank < 2; ++rank) {
            const int64_t late = int64_t{10} * rank;
            StreamBuilder& stream = builder_.thread({.loom = "a.0",
                                                     .pid = 1 + rank,
                                                     .tid = 1 + rank,
                                                     .rank = rank,
                                                     .nranks = 2,
                                                     .cpus = {{0, 0}, {1, 1}},
                                                     .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
            stream.mark(99, "stack", "region", {{7, "solve"}}).starts(0, rank);
            stream.event("MUi", 10).event("MUI", 30 + late);
            for (int64_t begin : {110, 150})
                stream.event("OM[", begin + late, {i64(7), 99})
                    .event("OM[", begin + 5 + late, {i64(7), 99})
                    .event("OM]", begin + 10 + late, {i64(7), 99})
                    .event("OM]", begin + 20 + late, {i64(7), 99});
            stream.event("MUf", 300 + late).event("MUF", 400).ends(500);
        }
        whole_ = builder_.write();
    }
    Finished printed(std::vector<std::string> options) {
        options.insert(options.begin(), {program("ovnidump"), "--times"});
        options.push_back(whole_);
        return run(options);
    }
};

TEST_F(FocusTest, APartIsNamedByItsRegion) {
    enter_regions();
    expect_same(cut_to("all", {"--region", "solve"}), cut_to("times", {"--from", "110ns", "--to", "181ns"}));
    expect_same(cut_to("second", {"--region", "solve#2"}),
                cut_to("second_times", {"--from", "150ns", "--to", "181ns"}));
    expect_same(cut_to("of_rank", {"--region", "7#1", "--ranks", "1"}),
                cut_to("of_rank_times", {"--from", "120ns", "--to", "141ns", "--ranks", "1"}));
    expect_same(cut_to("both", {"--region", "solve", "--to", "140ns"}),
                cut_to("both_times", {"--from", "110ns", "--to", "140ns"}));
    expect_same(cut_to("inner", {"--without", "Init,Finalize"}),
                cut_to("inner_times", {"--from", "40ns", "--to", "300ns"}));
    expect_accepted(cut_to("again", {"--region", "solve#1"}));
}

TEST_F(FocusTest, AVisitGoesOnBehindAPause) {
    const auto region = [](StreamBuilder& stream, EventCode code, int64_t clock) -> StreamBuilder& {
        return stream.event(code, clock, {i64(7), 99});
    };
    StreamBuilder& stream =
        builder_.thread({.rank = 0, .nranks = 1, .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}}});
    stream.mark(99, "stack", "region", {{7, "solve"}}).starts(0);
    region(region(stream, "OM[", 110), "OM]", 120).gap(120, 140);
    region(region(stream, "OM[", 140), "OM]", 150);
    region(region(stream, "OM[", 160), "OM]", 170).ends(200);
    whole_ = builder_.write();
    expect_same(cut_to("first", {"--region", "solve#1"}),
                cut_to("times", {"--from", "110ns", "--to", "151ns"}));
    expect_same(cut_to("second", {"--region", "solve#2"}),
                cut_to("second_times", {"--from", "160ns", "--to", "171ns"}));
}

TEST_F(FocusTest, ARegionThatIsNotThereIsRefused) {
    enter_regions();
    expect_error(try_cut(whole_, "part", {"--region", "halo"}), "there is no region 'halo'; there are solve");
    expect_error(try_cut(whole_, "part", {"--region", "slove"}), "(did you mean 'solve'?)");
    expect_error(try_cut(whole_, "part", {"--region", "solve#3"}),
                 "region 'solve' was entered 2 times at most");
    expect_error(try_cut(whole_, "part", {"--region", "solve", "--from", "1us"}),
                 "nothing is left: the part would end at 181 ns and begin at 1000 ns");
    expect_nothing("part");
    expect_usage_error({"--region", "solve#0"}, "no NAME#NUMBER from 1");
    expect_usage_error({"--region", "#2"}, "is no NAME");
    expect_usage_error({"--without", "Barrier"}, "'Barrier' is neither Init nor Finalize");
}

TEST_F(FocusTest, APartIsPrintedAsItIsCut) {
    enter_regions();
    const std::string b = "  loom.a.0/proc.2/thread.2  mark of type 99: ";
    EXPECT_EQ(printed({"--region", "solve#1", "--ranks", "1"}).out,
              "       120  OM[" + b + "push 7 solve\n       125  OM[" + b + "push 7 solve\n" +
                  "       130  OM]" + b + "pop 7 solve\n       140  OM]" + b + "pop 7 solve\n");
    EXPECT_EQ(
        printed({"--from", "401ns"}).out,
        "       500  OHe  loom.a.0/proc.1/thread.1  ends\n       500  OHe  loom.a.0/proc.2/thread.2  ends\n");
    EXPECT_EQ(
        run({program("ovnidump"), "--to", "1ns", "--ranks", "0", whole_}).out,
        "         0  OHx  loom.a.0/proc.1/thread.1  starts to run on CPU 0, created by thread -1, tag 0\n");
}

TEST_F(FocusTest, ARankThatIsNotThereIsRefused) {
    enter_regions();
    expect_error(printed({"--ranks", "0,7"}), "there is no rank 7");
    expect_error(try_cut(whole_, "part", {"--ranks", "0,7"}), "there is no rank 7 (the nearest is 1)");
    expect_nothing("part");
}

TEST_F(FocusTest, ACallThatNobodyHasRecordedIsReported) {
    builder_.thread({.rank = 0, .nranks = 1, .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}})
        .starts(100)
        .event("MUf", 150)
        .event("MUF", 160)
        .ends(200);
    whole_ = builder_.write();
    const Finished done = printed({"--without", "Init,Finalize"});
    EXPECT_THAT(done.err, HasSubstr("no rank has recorded MPI_Init: nothing is left out for it"));
    EXPECT_THAT(done.err, testing::Not(HasSubstr("recorded MPI_Finalize")));
    EXPECT_THAT(done.out, HasSubstr("         0  OHx"));
    EXPECT_THAT(done.out, testing::Not(HasSubstr("MUf")));
}

TEST_F(FocusTest, TimesOfPartnersAreTimes) {
    for (int rank = 0; rank < 2; ++rank) {
        StreamBuilder& stream = builder_.thread({.loom = "a.0",
                                                 .pid = 1 + rank,
                                                 .tid = 1 + rank,
                                                 .rank = rank,
                                                 .nranks = 2,
                                                 .cpus = {{0, 0}, {1, 1}},
                                                 .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
        stream.set("ovni.run", "a-run").starts(1000, rank);
        if (rank == 0)
            stream.event("MS[", 1100, {1, 7, u32(1), u32(0)}).event("MS]", 1120, {u64(20), 1, 7});
        else
            stream.event("MR[", 1110, {0, 7, u32(1), u32(0)}).event("MR]", 1130, {u64(20), 0, 7});
        stream.ends(1500);
    }
    whole_ = builder_.write();
    const std::string out = printed({"--partners"}).out;
    EXPECT_THAT(out, testing::ContainsRegex("  100  MS\\[ [^\n]*-> rank 1 [^ ]* at 130\n"));
    EXPECT_THAT(out, testing::ContainsRegex("  110  MR\\[ [^\n]*<- rank 0 [^ ]* at 100\n"));
}

}  // namespace

}  // namespace ovni::test
