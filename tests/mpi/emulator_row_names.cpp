// Names of rows and the date of the run are equal on any number of ranks.
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class RowNames : public DistributedTest, public testing::WithParamInterface<const char*> {
 protected:
    RowNames() {
        constexpr int64_t a_day_in_2024 = 1709251139;  // 29 February, 23:58:59
        for (int rank : {2, 0, 1}) {
            const std::string host = "node" + std::to_string(rank);
            trace_.thread({.loom = host, .pid = 10 + rank, .tid = 10 + rank, .rank = rank, .nranks = 3})
                .set("ovni.run", "job")
                .set("ovni.name", "solver")
                .set("ovni.began", a_day_in_2024 + 3600 * int64_t{(rank + 1) % 3})
                .starts(10)
                .ends(90 + rank);
        }
    }
};

TEST_P(RowNames, AnyNumberOfRanksWritesTheSameNames) {
    const fs::path directory = trace_.write();
    const std::vector<std::string> options = {"--row-names", GetParam(), "-b"};
    ASSERT_EQ(serial(directory, output("serial"), options).status, 0);
    for (const Workers& workers : every_sharing) {
        const fs::path out = output(workers.name());
        const Finished done = shared(workers, directory, out, options);
        ASSERT_EQ(done.status, 0) << done.err;
        expect_same(output("serial"), out);
    }
    const bool are_ours = GetParam() == std::string("ranks");
    EXPECT_THAT(read_file(output("serial") / "thread.row"),
                HasSubstr(are_ours ? "SIZE 3\nrank 0 node0 TH 1.10 thread solver\nrank 1 node1 TH 1.11 thread"
                                   : "SIZE 3\nTH 1.10\nTH 1.11\nTH 1.12\n"));
    EXPECT_THAT(read_file(output("serial") / "cpu.prv"), HasSubstr("#Paraver (29/02/24 at 23:58):"));
}

INSTANTIATE_TEST_SUITE_P(As, RowNames, testing::Values("ranks", "reference"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(DistributedTest, AWrongChoiceOfRowNamesIsAWrongCommandLine) {
    trace_.thread({}).starts(10).ends(20);
    const Finished done = distributed(2, trace_.write(), output("out"), {"--row-names", "short"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("--row-names is ranks or reference, not 'short'"));
}

}  // namespace
}  // namespace ovni::test
