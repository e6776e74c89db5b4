// ovnirun by itself, without MPI: what it does to a program, and its command line.
#include <fstream>

#include "tests/mpi/traced.hpp"
#include "tests/support/own_shared_memory.hpp"
#include "tests/support/sentences.hpp"

namespace ovni::test {

[[maybe_unused]] testing::Environment* const shared_memory =
    testing::AddGlobalTestEnvironment(new OwnSharedMemory);

class Ovnirun : public TracedTest {
 protected:
    Finished ovnirun(const Words& words, const Words& environment = {}) {
        return run(Words{program("ovnirun")} + words,
                   environment + Words{"OVNI_TRACEDIR=" + trace_directory(), "ASAN_OPTIONS=" + asan_options});
    }
};

TEST_F(Ovnirun, KeepsStatusAndOutput) {
    Finished done = ovnirun({"bash", "-c", "echo out; echo err >&2; exit 3"});
    EXPECT_EQ(done.status, 3);
    EXPECT_EQ(done.out, "out\n");
    EXPECT_EQ(done.err, "err\n" + nothing_recorded);
}

TEST_F(Ovnirun, ProgramsWithoutMpiLoadNoMpiAndLeaveNothing) {
    Finished done = ovnirun({"bash", "-c", "cat /proc/self/maps"}, {"LD_BIND_NOW=1"});
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out.find("libmpi.so"), std::string::npos);
    EXPECT_NE(done.out.find("libovni-mpi.so"), std::string::npos);
    EXPECT_NE(done.out.find("libovni.so.1"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(trace_directory()));
}

TEST_F(Ovnirun, PassesStandardInputOn) {
    std::string command = "printf hello | " + program("ovnirun") + " cat";
    EXPECT_EQ(run({"bash", "-c", command}, {"ASAN_OPTIONS=" + asan_options}).out, "hello");
}

TEST_F(Ovnirun, ProgramsDieBySignalsAsBefore) {
    EXPECT_EQ(ovnirun({"bash", "-c", "kill -TERM $$"}).status, 128 + SIGTERM);
}

TEST_F(Ovnirun, OptionsBecomeVariables) {
    Words words = {"-o",
                   "there",
                   "--loom=rank",
                   "--cpu",
                   "virtual",
                   "--append",
                   "--mpi-functions",
                   "-p2p,Send",
                   "--mpi-events=reference",
                   "env"};
    std::string out = ovnirun(words).out;
    std::string there = "OVNI_TRACEDIR=" + std::filesystem::absolute("there").string() + "\n";
    for (const std::string line : {there.c_str(), "OVNI_LOOM=rank\n", "OVNI_CPU=virtual\n", "OVNI_APPEND=1\n",
                                   "OVNI_MPI_FUNCTIONS=-p2p,Send\n", "OVNI_MPI_EVENTS=reference\n"})
        EXPECT_NE(out.find(line), std::string::npos) << line << out;
}

TEST_F(Ovnirun, WordsOfTheProgramStayItsOwn) {
    EXPECT_EQ(ovnirun({"echo", "--loom", "-h", "--"}).out, "--loom -h --\n");
    EXPECT_EQ(ovnirun({"--append", "--", "echo", "-o"}).out, "-o\n");
}

TEST_F(Ovnirun, KeepsAnOlderPreload) {
    std::string out = ovnirun({"bash", "-c", "echo $LD_PRELOAD"}, {"LD_PRELOAD=libm.so.6"}).out;
    EXPECT_TRUE(out.ends_with(":libm.so.6\n")) << out;
}

TEST_F(Ovnirun, HelpGoesToStandardOutput) {
    for (const char* word : {"-h", "--help"}) {
        Finished done = ovnirun({word});
        EXPECT_EQ(done.status, 0);
        EXPECT_NE(done.out.find("usage: ovnirun"), std::string::npos);
        EXPECT_EQ(done.err, "");
    }
}

TEST_F(Ovnirun, MistakesOfUsageAreStatus2) {
    for (const Words& words :
         {Words{}, Words{"--"}, Words{"--nothing", "true"}, Words{"--loom"}, Words{"--cpu", "fast", "true"},
          Words{"--append=1", "true"}, Words{"--loo", "x"}, Words{"--loom", "a/b", "true"},
          Words{"--loom=", "true"}, Words{"--mpi-functions", "default,Sned", "true"},
          Words{"--mpi-functions=", "true"}, Words{"--mpi-functions", "-none", "true"},
          Words{"--mpi-functions", "p2p,,rma", "true"}, Words{"--mpi-events", "some", "true"}}) {
        Finished done = ovnirun(words);
        EXPECT_EQ(done.status, 2) << done.err;
        EXPECT_EQ(done.out, "");
        EXPECT_TRUE(done.err.starts_with("ovnirun: ")) << done.err;
    }
}

TEST_F(Ovnirun, MistakesInTheEnvironmentAreStatus2) {
    using Setting = std::pair<std::string, std::string>;
    for (const auto& [variable, value] :
         {Setting{"OVNI_LOOM", "a/b"}, Setting{"OVNI_CPU", "q"}, Setting{"OVNI_RUNDIR", "/nonexistent"},
          Setting{"OVNI_RUNDIR", "here"}, Setting{"OVNI_BUFFER", "1k"}, Setting{"OVNI_BUFFER", "32M"},
          Setting{"OVNI_FLIGHT", "1k"}, Setting{"OVNI_LIMIT", "much"}, Setting{"OVNI_ON_FULL", "never"},
          Setting{"OVNI_MPI_FUNCTIONS", "Sned"}, Setting{"OVNI_SYNC", "some"},
          Setting{"OVNI_SYNC_TIMEOUT", "0"}, Setting{"OVNI_SYNC_TIMEOUT", "1s"},
          Setting{"OVNI_SYNC_TIMEOUT", "1000001"}, Setting{"OVNI_SYNC_TIMEOUT", "inf"}}) {
        Finished done = ovnirun({"echo", "ran"}, {variable + "=" + value});
        EXPECT_EQ(done.status, 2) << variable << done.err;
        EXPECT_EQ(done.out, "");
        EXPECT_TRUE(done.err.starts_with("ovnirun: ERROR: " + variable)) << done.err;
    }
    EXPECT_EQ(ovnirun({"--cpu", "virtual", "echo", "ran"}, {"OVNI_CPU=q"}).out, "ran\n");
    EXPECT_EQ(ovnirun({"echo", "ran"}, {"OVNI_CPU="}).out, "ran\n");
}

TEST_F(Ovnirun, SaysWhyAProgramDoesNotRun) {
    EXPECT_EQ(ovnirun({"no-such-program"}).status, 127);
    EXPECT_EQ(ovnirun({"/"}).status, 126);
    std::ofstream(path("plain")) << "text";
    Finished done = ovnirun({path("plain")});
    EXPECT_EQ(done.status, 126);
    EXPECT_NE(done.err.find("Permission denied"), std::string::npos) << done.err;
}

TEST_F(Ovnirun, LibraryNeedsNoMpiAndShowsOnlyWhatItStandsBefore) {
    std::string library = std::string(BUILD_DIR) + "/lib/libovni-mpi.so";
    std::string needed = run({"readelf", "-dW", library}).out;
    EXPECT_EQ(needed.find("libmpi"), std::string::npos) << needed;
    EXPECT_NE(needed.find("[libovni.so.1]"), std::string::npos) << needed;
    std::istringstream symbols(run({"nm", "-D", "--defined-only", library}).out);
    int functions = 0;
    for (std::string address, kind, name; symbols >> address >> kind >> name; ++functions)
        EXPECT_TRUE((name.starts_with("MPI_") || name.starts_with("ovni_") || name == "dlclose" ||
                     name == "dlsym" || name.ends_with("longjmp") || name == "__longjmp_chk") &&
                    kind == "T")
            << name << kind;
    EXPECT_GE(functions, 400);
    std::istringstream segments(run({"readelf", "-lW", library}).out);
    for (std::string line; std::getline(segments, line);) {
        std::istringstream fields(line);
        std::string type, offset, address, physical, in_file, in_memory;
        if (fields >> type >> offset >> address >> physical >> in_file >> in_memory && type == "TLS") {
            EXPECT_LE(std::stoul(in_memory, nullptr, 16), 16u);
        }
    }
}

}  // namespace ovni::test
