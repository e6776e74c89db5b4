// Things that ovnirun says at once, instead of an empty trace at the end.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/runtime/ovnirun_test.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Said : public OvnirunTest {
 protected:
    static Finished ovnirun(const Words& words, const Words& environment = {}) {
        return run(Words{program("ovnirun")} + words, environment);
    }
    static Words rank(int rank, int local) {
        return {"OMPI_COMM_WORLD_RANK=" + std::to_string(rank),
                "OMPI_COMM_WORLD_LOCAL_RANK=" + std::to_string(local)};
    }
};

// /proc is for nobody, root included.
TEST_F(Said, ADirectoryThatTakesNoTraceIsAnError) {
    const std::string program = "echo it ran";
    Finished done = ovnirun({"-o", "/proc/no/trace", "sh", "-c", program});
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr("ovnirun: ERROR: nothing can be written to the trace directory "
                                    "/proc/no/trace (/proc: "));
    EXPECT_THAT(done.err, HasSubstr("--anyway"));

    done = ovnirun({"--anyway", "-o", "/proc/no/trace", "sh", "-c", program});
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out, "it ran\n");
    EXPECT_THAT(done.err, HasSubstr("ovnirun: warning: nothing can be written"));
}

TEST_F(Said, ADirectoryThatTakesNoTraceIsReportedOncePerNode) {
    EXPECT_THAT(ovnirun({"-o", "/proc/x", "true"}, rank(0, 0)).err, HasSubstr("nothing can be written"));
    EXPECT_THAT(ovnirun({"-o", "/proc/x", "true"}, rank(4, 0)).err, HasSubstr("nothing can be written"));
    const Finished other = ovnirun({"-o", "/proc/x", "true"}, rank(5, 1));
    EXPECT_EQ(other.status, 1);
    EXPECT_EQ(other.err, "");
}

TEST_F(Said, TheTryLeavesNothing) {
    const std::string directory = path("new");
    ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
    EXPECT_EQ(ovnirun({"-o", directory + "/a/b", "true"}).status, 0);
    EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(Said, HostAndRankStandInTheNameOfTheDirectory) {
    char host[256] = {};
    ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
    const std::string name = std::string(host).substr(0, std::string(host).find('.'));
    Finished done =
        ovnirun({"-o", path("%h/%r%%"), "sh", "-c", "echo $OVNI_TRACEDIR"}, {"OMPI_COMM_WORLD_RANK=3"});
    EXPECT_EQ(done.out, path(name + "/3%") + "\n") << done.err;
    done = ovnirun({"-o", path("%p"), "true"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("%h is the host, %r the rank"));
}

TEST_F(Said, AProgramThatGainsRightsIsReported) {
    if (::getuid() != 0) GTEST_SKIP() << "only root can make a program of another user";
    std::filesystem::copy_file("/bin/true", path("suid"));
    ASSERT_EQ(::chown(path("suid").c_str(), 65534, 65534), 0);
    ASSERT_EQ(::chmod(path("suid").c_str(), 04755), 0);
    const Finished done = ovnirun({path("suid")});
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.err, "ovnirun: " + path("suid") +
                            " is set-user-id or has capabilities, so nothing of it is recorded: run a copy "
                            "of it without these\n");
}

TEST_F(Said, AProgramThatNeverCallsIsReportedOnce) {
    EXPECT_EQ(ovnirun({"true"}).err, nothing_recorded);
    EXPECT_EQ(ovnirun({"true"}, rank(1, 1)).err, "");
    EXPECT_THAT(ovnirun({"/no/program"}).err, Not(HasSubstr("no call")));
    EXPECT_EQ(ovnirun({BUILD_DIR "/tests/runtime_c_program"}).err, "");
}

TEST_F(Said, VariablesThatNobodyReadsAreReportedOnce) {
    const Words wrong = {"OVNI_BUFER=1M", "OVNI_TEST_ANY=1", "OVNI_VCLUSTER_DIR=/x", "OVNI_FOO=1"};
    const Finished done = ovnirun({"true"}, wrong);
    EXPECT_THAT(
        done.err,
        HasSubstr("ovnirun: warning: the variable OVNI_BUFER is not known (did you mean 'OVNI_BUFFER'?)\n"));
    EXPECT_THAT(done.err, HasSubstr("ovnirun: warning: the variable OVNI_FOO is not known\n"));
    EXPECT_THAT(done.err, Not(HasSubstr("OVNI_TEST_ANY")));
    EXPECT_THAT(done.err, Not(HasSubstr("OVNI_VCLUSTER_DIR")));
    EXPECT_EQ(ovnirun({"true"}, wrong + rank(1, 1)).err, "");
}

TEST_F(Said, NamesThatMayBeMeantAreSuggested) {
    auto err = [](const Words& words) { return ovnirun(words + Words{"true"}).err; };
    // As near is OVNI_THREADS, which begins otherwise.
    EXPECT_THAT(run({program("ovnirun"), "true"}, {"OVNI_PTHREADS=all"}).err,
                HasSubstr("(did you mean 'OVNI_PTHREAD'?)"));
    EXPECT_THAT(err({"--bufer", "1M"}), HasSubstr("unknown option --bufer (did you mean '--buffer'?)"));
    EXPECT_THAT(err({"--qqqqqq"}), HasSubstr("unknown option --qqqqqq, see"));
    EXPECT_THAT(err({"--mpi-functions", "mpi_barier"}), HasSubstr("(did you mean 'MPI_Barrier'?)"));
    EXPECT_THAT(err({"--mpi-functions", "-wiat"}), HasSubstr("(did you mean 'Wait'?)"));
    EXPECT_THAT(err({"--control", "start:mpi:Alreduce"}),
                HasSubstr("unknown MPI function 'Alreduce' (did you mean 'Allreduce'?)"));
    const Finished other = run({program("ovniemu"), "--breakdwn", "x"});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("(did you mean '--breakdown'?)"));
}

}  // namespace
}  // namespace ovni::test
