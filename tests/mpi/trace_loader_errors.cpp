// An error of the loader (dlerror) that the program has not asked for yet survives the first call of each
// function that comes to the tracer first.
#include <gmock/gmock.h>

#include "tests/mpi/traced.hpp"

namespace ovni::test {
namespace {

class LoaderErrors : public TracedTest {
 protected:
    // The functions that have kept it, as far as the MPI library and the C library do.
    void expect_kept(const Words& options) const {
        const Finished plain = mpirun(1, {app("pending_error")});
        ASSERT_EQ(plain.status, 0) << plain.err;
        EXPECT_THAT(plain.out, testing::HasSubstr("MPI_Send\n"));
        EXPECT_THAT(plain.out, testing::HasSubstr("pthread_mutex_lock\n"));
        const Finished done = traced(1, {app("pending_error")}, options);
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, plain.out);
    }
};

TEST_F(LoaderErrors, ErrorsOfTheLoaderAreKept) {
    expect_kept({"--threads", "program", "--pthread", "contended", "--openmp", "auto"});
}

TEST_F(LoaderErrors, ErrorsOfTheLoaderAreKeptWhereAllIsRecorded) {
    expect_kept({"--pthread", "all", "--threads", "all", "--mpi-functions", "all", "--callsites", "4",
                 "--counters", "page-faults"});
}

TEST_F(LoaderErrors, AlarmsKeepErrorsOfTheLoader) {
    if (!std::filesystem::exists(BUILD_DIR "/lib/libovni-code.so"))
        GTEST_SKIP() << "alarms on code are not built";
    expect_kept({"--control", "start:mpi:Bcast,stop:enter_func:hold_back"});
}

}  // namespace
}  // namespace ovni::test
