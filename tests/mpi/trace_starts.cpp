// Ways into MPI and out of it: from plugins and constructors of libraries, with everything resolved at load
// time, several programs in one job, and ends without MPI_Finalize. Nothing hangs, and what was recorded
// stays.
#include <csignal>
#include <set>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

class Starts : public TracedTest {
 protected:
    static Words hosted(const std::string& word = "") { return {app("plugin_host"), app("plugin.so"), word}; }
    static constexpr const char* whole_story = "MUt MUT MAr MAR MCb MCB MUf MUF";
};

TEST_F(Starts, APluginMayStartMpi) {
    for (const Words& environment : {Words{}, Words{"PLUGIN_STARTS=1"}, Words{"LD_BIND_NOW=1"}}) {
        Finished done = traced(2, hosted(), {}, environment);
        ASSERT_EQ(done.status, 0) << done.err;
        Trace trace = this->trace();
        ASSERT_EQ(trace.streams().size(), 2u);
        for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(story_of(trace, s), whole_story);
        expect_emulates();
    }
}

TEST_F(Starts, MpiMayNeverBeFinished) {
    Finished plain = mpirun(2, hosted("leaves"));
    Finished done = traced(2, hosted("leaves"));
    EXPECT_EQ(done.status, plain.status) << done.err;
    EXPECT_EQ(streams().size(), 2u);
    expect_emulates();
}

TEST_F(Starts, ARankMayBeKilled) {
    Finished done = traced(2, hosted("killed"));
    EXPECT_EQ(done.status, 128 + SIGKILL) << done.err;
    EXPECT_EQ(streams().size(), 2u);
    expect_emulates();
}

TEST_F(Starts, ProgramsOfAllKindsLoadWithEverythingResolved) {
    for (const Words& words : {Words{"python3", "-c", "print(1)"}, Words{"bash", "-c", "echo 1"}}) {
        Finished done = traced(1, words, {}, {"LD_BIND_NOW=1"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, "1\n");
    }
#ifdef OVNI_TEST_FORTRAN
    for (const char* binding : {"calls_mpifh", "calls_f08"}) {
        Finished done = traced(2, {app(binding), path("")}, {}, {"LD_BIND_NOW=1"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(streams().size(), 2u);
    }
#endif
}

// MPI_APPNUM tells them apart; their world is one.
TEST_F(Starts, SeveralProgramsAreApplicationsOfOneJob) {
    Words second = hosted();
#ifdef OVNI_TEST_FORTRAN
    second = {app("partner")};
#endif
    Words tracer = {program("ovnirun"), "-o", trace_directory()};
    Finished done = mpirun(1, tracer + hosted() + Words{":", "-n", "1"} + tracer + second);
    ASSERT_EQ(done.status, 0) << done.err;
    for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(story_of(trace(), s), whole_story);
    std::multiset<int> applications;
    for (const Stream& stream : streams()) applications.insert(*stream.metadata.process->app_id);
    EXPECT_EQ(applications, (std::multiset<int>{1, 2}));
    Finished emulated = run({program("ovniemu"), trace_directory()});
    EXPECT_EQ(emulated.status, 0);
    EXPECT_EQ(emulated.err.find("have no stream"), std::string::npos) << emulated.err;
}

}  // namespace ovni::test
