// The first sentences of the report name threads of a team that have less to do than others.
#include "tests/mpi/planted_problem.hpp"
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

class OpenMpProblem : public OpenMpTest {
 protected:
    static constexpr int ranks = 2, threads = 4;

    PlantedProblem recorded() {
        const Finished done = traced_openmp(ranks, {openmp_program("uneven_loop")});
        EXPECT_EQ(done.status, 0) << done.err;
        sentences_ = first_sentences(trace_directory(), path("report.json"));
        return PlantedProblem(done.out);
    }
    Words sentences_;
};

TEST_P(OpenMpProblem, ImbalanceOfThreadsIsNamed) {
    GTEST_SKIP() << "threads have no efficiencies";
    const PlantedProblem planted = recorded();
    expect_sentence(sentences_, "[Tt]hreads.*(OpenMP|parallel region|loop)", planted.share(threads));
}

TEST_P(OpenMpProblem, LineOfTheLoopIsNamed) {
    GTEST_SKIP() << "threads have no efficiencies";
    const PlantedProblem planted = recorded();
    expect_line(sentences_, "uneven_loop.c", planted.lines);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpProblem,
                         ::testing::Values(Runtime::libgomp, Runtime::libomp_for_gcc, Runtime::libomp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
