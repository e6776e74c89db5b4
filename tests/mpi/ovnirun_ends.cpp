// Jobs that end badly, or do not begin with their MPI program, leave every rank's trace up to its end.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "tests/mpi/ending_jobs.hpp"

namespace ovni::test {

TEST_F(JobEnds, AbortKeepsWhatWasRecorded) {
    EXPECT_NE(run(job({app("abort_one"), "abort", "0"})).status, 0);
    expect_trace_of_both_ranks();
    expect_first_to_end("rank 0 .process [0-9]+. called MPI_Abort with code 7\n");
}

TEST_F(JobEnds, ARankThatExitsEarlyKeepsWhatWasRecorded) {
    EXPECT_EQ(run(job({app("abort_one"), "exit", "1"})).status, 7);
    expect_trace_of_both_ranks();
    expect_first_to_end("ended first: rank 1 .process [0-9]+., which exited with code 7\n");
}

TEST_F(JobEnds, ARankThatCrashesKeepsWhatWasRecorded) {
    EXPECT_EQ(run(job({app("abort_one"), "segv", "1"})).status, 128 + SIGSEGV);
    expect_trace_of_both_ranks();
    expect_first_to_end("killed first: rank 1 .process [0-9]+., by signal 11 .Segmentation fault.\n");
}

TEST_F(JobEnds, ARankThatIsKilledKeepsWhatWasRecorded) {
    EXPECT_EQ(run(job({app("abort_one"), "kill", "1"})).status, 128 + SIGKILL);
    expect_trace_of_both_ranks();
}

// Nobody ends the streams then, before ovnirecover does it.
TEST_F(JobEnds, ARankThatIsKilledWithoutOvnirunIsToldByTheEmulators) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the runtime of a sanitizer cannot be loaded later";
    Started launched({"mpirun", "-q", "-n", "2", "env",
                      std::string("LD_PRELOAD=") + BUILD_DIR + "/lib/libovni-mpi.so", "OVNI_BUFFER=256k",
                      app("heat"), "20", "20", "100000000"});
    ASSERT_TRUE(becomes_true([&] { return both_record(); }));
    const std::filesystem::path first =
        std::filesystem::path(trace_directory()) / streams()[0].relative_path();
    EXPECT_EQ(::kill(std::stoi(first.parent_path().extension().string().substr(1)), SIGKILL), 0);
    EXPECT_NE(launched.wait(), 0);
    for (const Words& emulator : {Words{program("ovniemu")}, {"mpirun", "-n", "3", program("ovniemu-mpi")}}) {
        Finished strict = run(emulator + Words{"-o", path("out"), trace_directory()});
        EXPECT_EQ(strict.status, 1);
        EXPECT_NE(strict.err.find("(was the program killed? see ovnirecover)"), strict.err.npos)
            << strict.err;
        EXPECT_FALSE(std::filesystem::exists(path("out/thread.prv")));
        Finished kept = run(emulator + Words{"--keep-going", "-o", path("kept"), trace_directory()});
        EXPECT_EQ(kept.status, 0) << kept.err;
        EXPECT_NE(kept.err.find("0 streams are left out, 2 end too early"), kept.err.npos) << kept.err;
    }
    expect_trace_of_both_ranks();
}

// Open MPI starts a daemon then, which outlives ovnirun.
TEST_F(JobEnds, AProgramWithoutMpirunLeavesNoRunDirectory) {
    for (int i = 0; i < 3; ++i) {
        const Finished done = run({program("ovnirun"), app("heat"), "20", "20", "10"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.err.find("left events"), done.err.npos) << done.err;
    }
}

TEST_F(JobEnds, AnInterruptKeepsWhatWasRecorded) {
    Started launched(job({"--buffer", "256k", app("heat"), "20", "20", "100000000"}));
    ASSERT_TRUE(becomes_true([&] { return both_record(); }));
    launched.send(SIGINT);
    EXPECT_NE(launched.wait(), 0);
    expect_trace_of_both_ranks();
}

TEST_F(JobEnds, AScriptAroundTheProgramIsNotRecorded) {
    Finished done = run(job({script("cat /dev/null; \"$@\"; exit 4"), app("heat"), "20", "20", "10"}));
    EXPECT_EQ(done.status, 4) << done.err;
    expect_trace_of_both_ranks();
}

// The daemon has the tracing libraries, too, and outlives the job.
TEST_F(JobEnds, ADaemonThatIsLeftHoldsNothingUp) {
    std::string text = "setsid sleep 600 </dev/null >/dev/null 2>&1 &\necho $! >> " + path("daemons") +
                       "\n(true; /bin/true)\nexec \"$@\"\n";
    Finished done = run(job({script(text), app("heat"), "20", "20", "10"}));
    EXPECT_EQ(done.status, 0) << done.err;
    std::ifstream daemons(path("daemons"));
    int killed = 0;
    for (pid_t daemon = 0; daemons >> daemon; ++killed) EXPECT_EQ(::kill(daemon, SIGKILL), 0);
    EXPECT_EQ(killed, 2);
    expect_trace_of_both_ranks();
}

}  // namespace ovni::test
