// All senses at once: rows, waits, OpenMP, call sites, counters and regions of programs that end in all ways.
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

constexpr int ranks = 2, barriers_of_a_round = 100, rounds = 5;
constexpr int short_threads = 100;

class Everything : public OpenMpTest {
 protected:
    Finished traced_everything(const std::string& how) const {
        const std::string library = openmp_program("in_loader") + ".so";
        return traced_openmp(ranks, {openmp_program("everything"), how, path("left"), library},
                             {"--threads", "all", "--pthread", "all", "--callsites", "3", "--counters",
                              "task-clock,page-faults,rss", "--mpi-functions", "all"});
    }
    long left_by(int rank) const {
        long left = 0;
        std::ifstream(path("left." + std::to_string(rank)), std::ios::binary)
            .read(reinterpret_cast<char*>(&left), sizeof left);
        return left;
    }
    long recorded_of(int rank) const {
        const Counts counts = counts_of_rank(rank);
        const auto found = counts.find("MCB");
        return found == counts.end() ? 0 : found->second;
    }
};

TEST_P(Everything, EverythingIsThereAtAnEndInOrder) {
    Finished done = traced_everything("end");
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(left_by(rank), rounds * barriers_of_a_round);
        EXPECT_EQ(recorded_of(rank), rounds * barriers_of_a_round);
    }
    EXPECT_GE(streams().size(), size_t{ranks} * rounds * short_threads);
}

TEST_P(Everything, EverythingIsThereBehindAnExec) {
    Finished done = traced_everything("exec");
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(recorded_of(rank), rounds * barriers_of_a_round);
}

TEST_P(Everything, EverythingIsThereUpToAKill) {
    Finished done = traced_everything("kill");
    ASSERT_NE(done.status, 0);
    expect_emulates({"-b"});
    for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_GT(left_by(rank), 0);
        EXPECT_GE(recorded_of(rank), left_by(rank));
    }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, Everything, ::testing::Values(Runtime::libgomp, Runtime::libomp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
