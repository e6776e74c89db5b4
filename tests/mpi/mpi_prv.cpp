// mpi.prv of real jobs, by the rules of the tools that read it (mpi_prv_rules.py), and with the same bytes
// for any number of ranks.
#include <gmock/gmock.h>

#include "base/file.hpp"
#include "tests/mpi/ending_jobs.hpp"

namespace ovni::test {

using testing::ContainsRegex;
using testing::HasSubstr;

class MpiPrv : public JobEnds {
 protected:
    MpiPrv() { std::filesystem::current_path(path("")); }
    // Emulates the trace, alone and by all who may share the work.
    void emulate(const Words& options = {}) {
        Finished done = run(Words{program("ovniemu"), "--mpi-prv"} + options + Words{trace_directory()});
        ASSERT_EQ(done.status, 0) << done.err;
        for (const Workers& workers : every_sharing) {
            const std::string out = path(workers.name());
            done = emulated(workers, Words{"--mpi-prv"} + options + Words{"-o", out});
            ASSERT_EQ(done.status, 0) << done.err;
            for (const std::string& file : files())
                EXPECT_TRUE(read_file(trace_directory() + "/" + file) == read_file(out + "/" + file)) << file;
        }
    }
    std::vector<std::string> files() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(trace_directory()))
            if (const std::string name = entry.path().filename(); name.starts_with("mpi."))
                found.push_back(name);
        return found;
    }
    // Returns what the checker counts.
    std::string expect_good(const Words& options = {}, const std::string& file = "mpi.prv") const {
        Finished done = run(Words{"python3", "-B", SOURCE_DIR "/tests/mpi/mpi_prv_rules.py"} + options +
                            Words{trace_directory() + "/" + file});
        EXPECT_EQ(done.status, 0) << done.out << done.err;
        return done.out;
    }
    std::string text() const { return read_file(trace_directory() + "/mpi.prv"); }
};

TEST_F(MpiPrv, FourRanksMakeAValidFile) {
    ASSERT_EQ(traced(4, {app("heat"), "100", "100", "20"}).status, 0);
    emulate();
    EXPECT_THAT(expect_good(), HasSubstr(" collectives=84 events=984 messages=120 "));
    EXPECT_THAT(text(), HasSubstr(":50100003:1:"));
}

TEST_F(MpiPrv, EveryKindOfMessageMakesAValidFile) {
    ASSERT_EQ(traced(4, {app("known_messages"), "0"}, {"--loom", "rank"}).status, 0);
    emulate();
    EXPECT_THAT(expect_good(), ContainsRegex(" messages=[1-9][0-9][0-9]"));
}

TEST_F(MpiPrv, AFileWithoutStatesIsValid) {
    ASSERT_EQ(traced(2, {app("known_messages"), "0"}).status, 0);
    emulate({"--no-states"});
    EXPECT_THAT(expect_good({"--no-states"}), ContainsRegex(" messages=[1-9][0-9]* "));
}

TEST_F(MpiPrv, AFileWithGapsIsValid) {
    ASSERT_EQ(traced(4, {app("known_messages"), "1"}, {"--loom", "rank"}).status, 0);
    emulate();
    expect_good({"--with-gaps"});
    EXPECT_THAT(text(), HasSubstr(":40000012:0\n"));
    EXPECT_THAT(text(), HasSubstr(":40000012:1\n"));
}

TEST_F(MpiPrv, AKilledRunMakesAValidFile) {
    EXPECT_NE(traced(4, {app("abort_one"), "kill", "2"}, {"--loom", "rank"}).status, 0);
    recover();
    emulate();
    expect_good({"--with-gaps"});
}

// Collectives, one-sided calls, files and topologies of all kinds, on many communicators.
TEST_F(MpiPrv, CallsOfEveryKindMakeAValidFile) {
    std::filesystem::create_directory(path("calls"));
    ASSERT_EQ(traced(4, {app("calls_c"), path("calls")}, {"--loom", "rank"}).status, 0);
    emulate();
    EXPECT_THAT(expect_good(), ContainsRegex(" collectives=[1-9][0-9][0-9][0-9] "));
    EXPECT_THAT(text(), ContainsRegex(":50000004:65:25:1100:50001000:[1-9][0-9]*:50001001:[0-9]\n"));
    EXPECT_THAT(text(), ContainsRegex(":50000005:[0-9]*:25:[0-9]*:50000110:[1-9]"));
}

TEST_F(MpiPrv, CallsOfTheReferenceMakeAValidFile) {
    std::filesystem::create_directory(path("calls"));
    ASSERT_EQ(traced(3, {app("mpi_calls"), path("calls")}).status, 0);
    emulate();
    expect_good();
}

TEST_F(MpiPrv, ThreadsMakeAValidFile) {
    const std::string hybrid = std::string(BUILD_DIR) + "/tests/threads_hybrid";
    if (!std::filesystem::exists(hybrid)) GTEST_SKIP() << "not built";
    ASSERT_EQ(traced(2, {hybrid}, {"--threads", "all"}).status, 0);
    emulate();
    expect_good();
    EXPECT_THAT(read_file(trace_directory() + "/mpi.row"), HasSubstr("\nTHREAD 1.2.4\n"));
}

TEST_F(MpiPrv, CallsInCallsMakeAValidFile) {
    ASSERT_EQ(traced(2, {app("callbacks"), "attributes"}).status, 0);
    emulate();
    expect_good();
}

TEST_F(MpiPrv, AFileWithARankThatIsNotRecordedIsValid) {
    Finished done = run({"mpirun", "-q", "-n", "1", program("ovnirun"), "-o", trace_directory(),
                         app("known_messages"), ":", "-n", "1", app("known_messages")});
    ASSERT_EQ(done.status, 0) << done.err;
    emulate();
    expect_good({"--with-gaps"});
}

TEST_F(MpiPrv, EachWorldHasAFile) {
    Finished done = spawning([&] {
        std::filesystem::remove_all(trace_directory());
        return traced(2, Words{app("spawn")});
    });
    ASSERT_EQ(done.status, 0) << done.err;
    emulate();
    for (const char* file : {"mpi.prv", "mpi.world2.prv", "mpi.world3.prv"})
        expect_good({"--with-gaps"}, file);
}

}  // namespace ovni::test
