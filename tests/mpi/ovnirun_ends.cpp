// What jobs leave that end badly, or do not begin with their MPI program: every rank's trace up to its end.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/mpi/traced.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {

class JobEnds : public TracedTest {
 protected:
    JobEnds() {
        for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
            ::setenv(name, "1", 1);
        ::setenv("ASAN_OPTIONS", asan_options.c_str(), 1);
        ::setenv("OVNI_TRACEDIR", trace_directory().c_str(), 1);
        ::setenv("OVNI_RUNDIR", path("").c_str(), 1);
    }
    static Words job(const Words& words) {
        return Words{"mpirun", "-q", "-n", "2", program("ovnirun")} + words;
    }
    template <class Condition>
    static bool becomes_true(Condition condition) {
        for (int i = 0; i < 2000; ++i) {
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    // mpirun does not wait for what it kills; and it kills ovnirun, too.
    void recover() {
        EXPECT_TRUE(becomes_true([&] {
            run({program("ovnirecover"), "--all"});
            for (const auto& place : std::filesystem::directory_iterator(path("")))
                if (place.path().filename().string().starts_with("ovni-") &&
                    !std::filesystem::is_empty(place.path()))
                    return false;
            return true;
        })) << "a run directory is left";
    }
    void expect_trace_of_both_ranks() {
        recover();
        ASSERT_EQ(streams().size(), 2u);
        for (uint32_t stream = 0; stream < 2; ++stream)
            EXPECT_GT(events_of(trace(), stream).size(), 2u) << "of rank " << stream;
        Finished emulated = run({program("ovniemu"), trace_directory()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }
    bool both_record() const {
        size_t streams = 0;
        std::error_code none;
        for (const auto& file : std::filesystem::recursive_directory_iterator(trace_directory(), none))
            streams += file.path().filename() == "stream.obs" && file.file_size(none) > 1000;
        return streams == 2;
    }
    std::string script(const std::string& text) const {
        std::ofstream(path("script")) << "#!/bin/bash\n" << text;
        std::filesystem::permissions(path("script"), std::filesystem::perms::owner_all);
        return path("script");
    }
};

TEST_F(JobEnds, AbortKeepsWhatWasRecorded) {
    EXPECT_NE(run(job({app("abort_one"), "abort", "0"})).status, 0);
    expect_trace_of_both_ranks();
}

TEST_F(JobEnds, ARankThatExitsEarlyKeepsWhatWasRecorded) {
    EXPECT_EQ(run(job({app("abort_one"), "exit", "1"})).status, 7);
    expect_trace_of_both_ranks();
}

TEST_F(JobEnds, ARankThatCrashesKeepsWhatWasRecorded) {
    EXPECT_EQ(run(job({app("abort_one"), "segv", "1"})).status, 128 + SIGSEGV);
    expect_trace_of_both_ranks();
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
    const std::filesystem::path first = std::filesystem::path(trace_directory()) / streams()[0].relative_path;
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
