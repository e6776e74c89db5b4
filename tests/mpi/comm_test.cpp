// The communicator under a real mpirun, any number of ranks.
#include "mpi/comm/comm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace ovni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Pair {
    int32_t from;
    int32_t to;
    bool operator==(const Pair&) const = default;
};

// The second run of every case cuts messages into pieces of a few bytes.
class CommTest : public testing::TestWithParam<size_t> {
 protected:
    void SetUp() override { comm.set_chunk(GetParam()); }
    std::string word(int rank) const {
        return std::string(static_cast<size_t>(rank) * 7, static_cast<char>('a' + rank));
    }
    std::vector<int32_t> numbers(int rank) const {
        std::vector<int32_t> values(static_cast<size_t>(rank) * 5);
        std::iota(values.begin(), values.end(), rank * 100);
        return values;
    }
    Comm comm = Comm::world();
};

INSTANTIATE_TEST_SUITE_P(Chunks, CommTest, testing::Values(size_t{1} << 30, size_t{24}));

TEST_P(CommTest, BroadcastCarriesTextsValuesAndVectorsFromAnyRoot) {
    for (int root = 0; root < comm.size(); ++root) {
        bool mine = comm.rank() == root;
        EXPECT_EQ(comm.broadcast(mine ? word(root) : "other", root), word(root));
        EXPECT_EQ(comm.broadcast(mine ? numbers(root) : std::vector<int32_t>(3), root), numbers(root));
        EXPECT_EQ(comm.broadcast(mine ? Pair{root, -1} : Pair{}, root), (Pair{root, -1}));
    }
}

TEST_P(CommTest, GatherGivesEveryPartToTheRootAlone) {
    int root = comm.size() - 1;
    auto words = comm.gather(word(comm.rank()), root);
    auto vectors = comm.gather(numbers(comm.rank()), root);
    if (comm.rank() != root) {
        EXPECT_THAT(words, IsEmpty());
        EXPECT_THAT(vectors, IsEmpty());
        return;
    }
    ASSERT_EQ(words.size(), static_cast<size_t>(comm.size()));
    for (int r = 0; r < comm.size(); ++r) {
        EXPECT_EQ(words[static_cast<size_t>(r)], word(r));
        EXPECT_EQ(vectors[static_cast<size_t>(r)], numbers(r));
    }
}

TEST_P(CommTest, AllgatherGivesEveryPartToAll) {
    auto words = comm.allgather(word(comm.rank()));
    auto vectors = comm.allgather(numbers(comm.rank()));
    auto values = comm.allgather<int64_t>(int64_t{comm.rank()} * 10);
    ASSERT_EQ(words.size(), static_cast<size_t>(comm.size()));
    for (int r = 0; r < comm.size(); ++r) {
        EXPECT_EQ(words[static_cast<size_t>(r)], word(r));
        EXPECT_EQ(vectors[static_cast<size_t>(r)], numbers(r));
        EXPECT_EQ(values[static_cast<size_t>(r)], int64_t{r} * 10);
    }
}

TEST_P(CommTest, ReductionsAreExactOverTheWhole64Bits) {
    int64_t rank = comm.rank();
    int64_t last = comm.size() - 1;
    EXPECT_EQ(comm.allreduce(Op::min, INT64_MIN + rank), INT64_MIN);
    EXPECT_EQ(comm.allreduce(Op::max, uint64_t{1} << 63 | static_cast<uint64_t>(rank)),
              uint64_t{1} << 63 | static_cast<uint64_t>(last));
    EXPECT_EQ(comm.allreduce(Op::sum, rank), last * (last + 1) / 2);
    EXPECT_EQ(comm.allreduce(Op::bit_or, uint64_t{1} << rank), (uint64_t{1} << comm.size()) - 1);
}

TEST_P(CommTest, VectorsAreReducedElementByElement) {
    std::vector<int64_t> values(10);
    std::iota(values.begin(), values.end(), comm.rank());
    auto greatest = comm.allreduce(Op::max, values);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(greatest[static_cast<size_t>(i)], comm.size() - 1 + i);
    EXPECT_THAT(comm.allreduce(Op::sum, std::vector<int64_t>{}), IsEmpty());
}

TEST_P(CommTest, ExscanSumsTheLowerRanks) {
    int64_t rank = comm.rank();
    EXPECT_EQ(comm.exscan(rank + 1), rank * (rank + 1) / 2);
    EXPECT_EQ(comm.exscan(int64_t{-3}), -3 * rank);
}

TEST_P(CommTest, AlltoallvMovesEveryPartToItsRank) {
    PerRank<std::vector<Pair>> parts;
    PerRank<std::span<const Pair>> to;
    for (int r = 0; r < comm.size(); ++r) {
        // Nothing at all between some pairs.
        size_t count = (comm.rank() + r) % 2 == 0 ? 0 : static_cast<size_t>(10 * comm.rank() + r);
        parts.emplace_back(count, Pair{comm.rank(), r});
    }
    for (const auto& part : parts) to.emplace_back(part);
    auto received = comm.alltoallv(to);
    ASSERT_EQ(received.size(), parts.size());
    for (int r = 0; r < comm.size(); ++r) {
        size_t count = (comm.rank() + r) % 2 == 0 ? 0 : static_cast<size_t>(10 * r + comm.rank());
        EXPECT_EQ(received[static_cast<size_t>(r)], std::vector<Pair>(count, Pair{r, comm.rank()}));
    }
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

TEST_P(CommTest, AgreeHandsResultsBack) {
    EXPECT_EQ(comm.agree([&] { return comm.rank() + 1; }), comm.rank() + 1);
    bool ran = false;
    comm.agree([&] { ran = true; });
    EXPECT_TRUE(ran);
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
