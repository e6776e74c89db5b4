// Programs that end, fork, stop recording or leave MPI in the middle of OpenMP.
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

class OpenMpEndings : public OpenMpTest {
 protected:
    Finished ending(const std::string& how, const Words& options = {}) const {
        return traced_openmp(1, {openmp_program("endings"), how}, options);
    }
    // A killed program is no fault of its trace, but the strictest reader wants an end in order.
    void expect_accepted() const { expect_emulates({"-b"}); }
};

TEST_P(OpenMpEndings, AKillAmidATaskLeavesAnAcceptedTrace) {
    Finished done = ending("kill");
    EXPECT_NE(done.status, 0);
    expect_accepted();
    Counts counts = counts_of_rank(0);
    EXPECT_GE(counts["PR["], 5 * 3 + 3);
    EXPECT_GE(counts["PI["], 1);
}

TEST_P(OpenMpEndings, AnExitAmidATaskLeavesAnAcceptedTrace) {
    Finished done = ending("exit");
    EXPECT_EQ(done.status, 7) << done.err;
    expect_accepted();
}

TEST_P(OpenMpEndings, AForkBetweenRegionsGoesOn) {
    Finished done = ending("fork");
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "child 3 sum 14850\nsum 14850\n");
    expect_strictly_emulates();
}

TEST_P(OpenMpEndings, MpiMayEndInsideOfARegion) {
    Finished done = ending("inside");
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
}

TEST_P(OpenMpEndings, RecordingMayPauseInsideOfConstructs) {
    Finished done = ending("pause");
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    Counts counts = counts_of_rank(0);
    EXPECT_GT(counts["PCf"], 0);
}

TEST_P(OpenMpEndings, RegionsOutsideOfMpiAreRecorded) {
    Finished done = ending("late");
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    EXPECT_EQ(counts_of_rank(0)["PCf"], 9);
}

// The loader's lock is held meanwhile: a thread of the team that needed it would wait for ever.
TEST_P(OpenMpEndings, RegionsInTheConstructorOfALibraryAreRecorded) {
    Finished done = traced_openmp(1, {"timeout", "-s", "KILL", "60", openmp_program("endings"), "loading"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    EXPECT_EQ(counts_of_rank(0)["PCf"], 7);
}

TEST_P(OpenMpEndings, AFlightRecorderMayForgetTheBegin) {
    Finished done = traced_openmp(1, {openmp_program("constructs"), path("")}, {"--flight", "64k"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_emulates({"-b"});
}

TEST_P(OpenMpEndings, RecordingMayBeginLate) {
    Finished done = traced_openmp(1, {openmp_program("endings"), "pause"},
                                  {"--control", "start:mpi:Pcontrol:count2,stop:timeout:60"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_emulates({"-b"});
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpEndings,
                         ::testing::Values(Runtime::libgomp, Runtime::libomp_for_gcc, Runtime::libomp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
