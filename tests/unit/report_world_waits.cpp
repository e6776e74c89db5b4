// Waits in MPI_Init and MPI_Finalize, in traces where worlds, ranks or calls are missing or only in part
// there.
#include "tests/unit/report_test.hpp"

namespace ovni::test {

namespace {

using testing::UnorderedElementsAre;

class WorldWaitsTest : public ReportTest {
 protected:
    StreamBuilder& rank(int number, int size, int world = 1) {
        const int id = 10 * world + number;
        StreamBuilder& stream = trace_.thread({.loom = "a.x",
                                               .pid = id,
                                               .tid = id,
                                               .app_id = world,
                                               .rank = number,
                                               .nranks = size,
                                               .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}}});
        stream.set("ovni.run", "job");
        return stream.starts(1000);
    }
    // Calls MPI_Init at the one time and MPI_Finalize at the other. All leave at 2000, and at 9000.
    StreamBuilder& whole(int number, int size, int64_t begin, int64_t end, int world = 1) {
        StreamBuilder& stream = rank(number, size, world);
        stream.event("MUi", begin).event("MUI", 2000);
        return stream.event("MUf", end).event("MUF", 9000).ends(9500);
    }
    // "function of world.rank: from-to for world.rank", by the clocks of the streams.
    std::vector<std::string> waits() {
        std::vector<std::string> all;
        const Finished done = emulate();
        EXPECT_EQ(done.status, 0) << done.err;
        const Json found = Json::parse(read_file(file()));
        const auto name = [&](const Json& process) {
            const Json& of = found["processes"][process.get<size_t>()];
            return of["application"].dump() + "." + of["rank"].dump();
        };
        for (const Json& wait : found["waits"]["longest"]) {
            EXPECT_EQ(wait["wait"], "Wait at start or end");
            const auto time = [&](const char* edge) {
                return std::to_string(wait[edge].get<int64_t>() + 1000);
            };
            all.push_back(wait["function"].get<std::string>() + " of " + name(wait["process"]) + ": " +
                          time("from") + "-" + time("to") + " for " + name(wait["cause"]));
        }
        return all;
    }
};

TEST_F(WorldWaitsTest, RanksWaitForTheLastThatCalls) {
    whole(0, 3, 1100, 8000);
    whole(1, 3, 1300, 3000);
    rank(2, 3).event("MUt", 1200).event("MUT", 2000).event("MUf", 4000).event("MUF", 9000).ends(9500);
    EXPECT_THAT(waits(), UnorderedElementsAre("MPI_Finalize of 1.1: 3000-8000 for 1.0",
                                              "MPI_Finalize of 1.2: 4000-8000 for 1.0",
                                              "MPI_Init of 1.0: 1100-1300 for 1.1",
                                              "MPI_Init_thread of 1.2: 1200-1300 for 1.1"));
}

TEST_F(WorldWaitsTest, EachWorldHasWaitsOfItsOwn) {
    whole(0, 2, 1100, 8000, 1);
    whole(1, 2, 1100, 3000, 1);
    whole(0, 2, 1400, 5000, 2);
    whole(1, 2, 1400, 4000, 2);
    whole(0, 1, 1500, 8500, 3);
    EXPECT_THAT(waits(), UnorderedElementsAre("MPI_Finalize of 1.1: 3000-8000 for 1.0",
                                              "MPI_Finalize of 2.1: 4000-5000 for 2.0"));
}

// Rank 0 has no stream, rank 1 has recorded no MPI_Init, rank 2 was killed in MPI_Finalize.
TEST_F(WorldWaitsTest, RanksThatAreNotRecordedAreNotWaitedFor) {
    rank(1, 4).event("MUf", 5000).event("MUF", 9000).ends(9500);
    rank(2, 4)
        .event("MUi", 1200)
        .event("MUI", 2000)
        .event("MUf", 8000)
        .set("ovni.end", {{"by", "signal"}, {"code", 9}});
    whole(3, 4, 1100, 3000);
    EXPECT_THAT(waits(), UnorderedElementsAre("MPI_Finalize of 1.3: 3000-5000 for 1.1",
                                              "MPI_Init of 1.3: 1100-1200 for 1.2"));
}

// Rank 0 came to MPI_Finalize in its pause. Others may have waited for it, and did for rank 1.
TEST_F(WorldWaitsTest, ACallThatBeginsInAPauseIsNotWaitedFor) {
    rank(0, 3).gap(1500, 8000).event("MUf", 8000).event("MUF", 9000).ends(9500);
    rank(1, 3).event("MUf", 4000).event("MUF", 9000).ends(9500);
    rank(2, 3).gap(1500, 2500).event("MUf", 3000).event("MUF", 9000).ends(9500);
    EXPECT_THAT(waits(), UnorderedElementsAre("MPI_Finalize of 1.2: 3000-4000 for 1.1"));
}

TEST_F(WorldWaitsTest, RanksWaitBehindAPause) {
    rank(0, 2).gap(1500, 7000).event("MUf", 8000).event("MUF", 9000).ends(9500);
    rank(1, 2).gap(1500, 2500).event("MUf", 3000).event("MUF", 9000).ends(9500);
    EXPECT_THAT(waits(), UnorderedElementsAre("MPI_Finalize of 1.1: 3000-8000 for 1.0"));
}

// Rank 1 is in MPI_Finalize when the part begins, in which rank 0 comes to it.
TEST_F(WorldWaitsTest, WaitsOfAPartBeginInItAtTheEarliest) {
    whole(0, 3, 1100, 8000);
    whole(1, 3, 1100, 3000);
    whole(2, 3, 1100, 6000);
    const std::string part = file("part");
    const Finished cut = run({program("ovnicut"), "--from", "4us", trace_.write().string(), "-o", part});
    ASSERT_EQ(cut.status, 0) << cut.err;
    const Finished done = run({program("ovniemu"), "--report", file().string(), part});
    ASSERT_EQ(done.status, 0) << done.err;
    const Json sums = Json::parse(read_file(file()))["waits"]["sums"];
    ASSERT_EQ(sums.size(), 2u) << sums;
    for (const Json& sum : sums) EXPECT_EQ(sum["cause"], 0);
    EXPECT_EQ(sums[0]["process"], 1);
    EXPECT_NEAR(sums[0]["ns"], 8000 - 5000, 2);
    EXPECT_EQ(sums[1]["process"], 2);
    EXPECT_EQ(sums[1]["ns"], 2000);
}

}  // namespace

}  // namespace ovni::test
