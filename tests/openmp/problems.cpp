// The first sentences of the report name threads of a team that have less to do than others.
#include "tests/mpi/not_yet.hpp"
#include "tests/mpi/planted_problem.hpp"
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

class OpenMpProblem : public OpenMpTest {
 protected:
    static constexpr int ranks = 2, threads = 4;

    void SetUp() override {
        OpenMpTest::SetUp();
        skip_if_not_yet("uneven_loop");
    }
    PlantedProblem recorded() {
        const Finished done = traced_openmp(ranks, {openmp_program("uneven_loop")});
        EXPECT_EQ(done.status, 0) << done.err;
        sentences_ = first_sentences(trace_directory(), path("report.json"));
        return PlantedProblem(done.out);
    }
    Words sentences_;
};

class LineOfOpenMpProblem : public OpenMpProblem {
 protected:
    void SetUp() override {
        OpenMpTest::SetUp();
        skip_if_not_yet("line of uneven_loop");
    }
};

TEST_P(OpenMpProblem, ImbalanceOfThreadsIsNamed) {
    const PlantedProblem planted = recorded();
    EXPECT_EQ(fault_in(sentences_, "[Tt]hreads.*(OpenMP|parallel region|loop)", planted.share(threads)), "");
}

TEST_P(LineOfOpenMpProblem, LineOfTheLoopIsNamed) {
    const PlantedProblem planted = recorded();
    expect_line(sentences_, "uneven_loop.c", planted.lines);
}

constexpr Runtime runtimes[] = {Runtime::libgomp, Runtime::libomp_for_gcc, Runtime::libomp};
INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpProblem, ::testing::ValuesIn(runtimes),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Runtimes, LineOfOpenMpProblem, ::testing::ValuesIn(runtimes),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
