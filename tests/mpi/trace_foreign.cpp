// Programs of another MPI than the one that the tracing library was built for: they run as without it.
#include "tests/mpi/traced.hpp"
#include "tests/support/sentences.hpp"

namespace ovni::test {
namespace {

const std::string notice =
    "ovni-mpi: the program's MPI is MPICH, the tracing library was built for Open MPI: its MPI calls are not "
    "recorded\n";

// Skips where MPICH, the compiler in particular, is not installed next to Open MPI.
class ForeignMpi : public TracedTest {
 protected:
    void SetUp() override {
        if (run({"mpiexec.mpich", "--version"}).status != 0) GTEST_SKIP() << "there is no mpiexec.mpich";
    }
    // Null if this compiler cannot build it.
    std::string built(const std::string& compiler, const std::string& source) const {
        std::string result = path("ring_of_ranks");
        Finished done = run({compiler, SOURCE_DIR "/tests/apps/" + source, "-w", "-o", result});
        return done.status == 0 ? result : "";
    }
    Finished job(const Words& words) const { return run(Words{"mpiexec.mpich", "-n", "4"} + words); }
    Finished traced_job(const Words& words) const {
        return run(Words{"mpiexec.mpich", "-n", "4", program("ovnirun"), "-o", trace_directory()} + words,
                   {"ASAN_OPTIONS=" + asan_options});
    }
};

TEST_F(ForeignMpi, RunsUntouched) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c");
    if (ring.empty()) GTEST_SKIP() << "mpicc.mpich builds no program";
    for (const Words& words : {Words{ring}, Words{ring, "with-threads"}}) {
        Finished done = traced_job(words);
        EXPECT_EQ(done.status, 7) << done.err;
        EXPECT_EQ(done.err, notice + nothing_recorded);
        EXPECT_FALSE(std::filesystem::exists(trace_directory()));
    }
}

TEST_F(ForeignMpi, MayAbort) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c");
    if (ring.empty()) GTEST_SKIP() << "mpicc.mpich builds no program";
    Finished plain = job({ring, "with-threads", "aborts"}),
             done = traced_job({ring, "with-threads", "aborts"});
    EXPECT_EQ(done.status, plain.status) << done.err;
}

TEST_F(ForeignMpi, RunsUntouchedInFortran) {
    std::string ring = built("mpifort.mpich", "ring_of_ranks.f90");
    if (ring.empty()) GTEST_SKIP() << "mpifort.mpich builds no program";
    Finished done = traced_job({ring});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, notice + nothing_recorded);
}

}  // namespace
}  // namespace ovni::test
