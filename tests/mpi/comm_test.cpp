// The communicator under a real mpirun, any number of ranks.
#include "mpi/comm/comm.hpp"

#include <gtest/gtest.h>

#include "tests/support/ranks_rules.hpp"

namespace ovni {
namespace {

// The second run of every case cuts messages into pieces of a few bytes.
class CommTest : public testing::TestWithParam<size_t> {
 protected:
    void SetUp() override { comm.set_chunk(GetParam()); }
    Comm comm = Comm::world();
};

INSTANTIATE_TEST_SUITE_P(Chunks, CommTest, testing::Values(size_t{1} << 30, size_t{24}));

TEST_P(CommTest, KeepsTheRulesOfRanks) {
    test::expect_rules_of_ranks(comm);
}

TEST_P(CommTest, SplitOrdersByKeyAndLeavesRanksOut) {
    Comm reversed = comm.split(0, -comm.rank());
    EXPECT_EQ(reversed.rank(), comm.size() - 1 - comm.rank());
    Comm first = comm.split(comm.is_root() ? 0 : -1);
    EXPECT_EQ(static_cast<bool>(first), comm.is_root());
    EXPECT_EQ(first.size(), comm.is_root() ? 1 : 0);
    Comm copy = std::move(reversed);
    EXPECT_FALSE(reversed);  // NOLINT(bugprone-use-after-move): what a move leaves is what is tested
    EXPECT_EQ(copy.broadcast<int64_t>(copy.rank(), 0), 0);
}

TEST_P(CommTest, RanksOfOneMachineAreOneNode) {
    EXPECT_EQ(comm.split_by_node().size(), comm.size());
}

TEST_P(CommTest, RanksMayWaitAsleep) {
    comm.barrier_asleep();
}

TEST_P(CommTest, AFailureOfAnyRankStopsAllAndOneCarriesTheMessage) {
    for (int failing = 0; failing < comm.size(); ++failing) {
        try {
            comm.agree([&] {
                if (comm.rank() >= failing) throw Error("no good", "file", 5);
            });
            ADD_FAILURE() << "nobody stopped";
        } catch (const Stopped& e) {
            EXPECT_STREQ(e.what(), comm.rank() == failing ? "file:5: no good" : "");
            EXPECT_EQ(e.status, 1);
        }
    }
}

TEST_P(CommTest, AMistakeOnTheCommandLineHasStatus2OnAllRanks) {
    try {
        comm.agree([&]() -> int {
            if (comm.rank() == comm.size() - 1) throw UsageError("what?");
            return 0;
        });
        ADD_FAILURE() << "nobody stopped";
    } catch (const Stopped& e) {
        EXPECT_EQ(e.status, 2);
    }
}

}  // namespace
}  // namespace ovni

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    int status = RUN_ALL_TESTS();
    MPI_Finalize();
    return status;
}
