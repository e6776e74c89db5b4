// Programs below shells, debuggers and other wrappers, and next to libraries that users preload: the trace is
// of one run, and all ends as untraced.
#include <gmock/gmock.h>

#include "tests/mpi/built_programs.hpp"
#include "tests/support/sentences.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::set<std::string> calls_of_sum{"MPI_Init 2", "MPI_Allreduce 2", "MPI_Finalize 2"};

class Wrappers : public BuiltPrograms {};

TEST_P(Wrappers, WrapperAndProgramAreOneRun) {
    const std::string sum = built("mpicc", "sum", {"sum_of_ranks.c"});
    const Words wrapped[] = {{"bash", "-c", "exec " + sum},
                             {"bash", "-c", sum + "; true"},
                             {"env", "A=1", sum},
                             {"bash", "-c", "exec taskset 1 " + sum},
                             {"timeout", "60", sum},
                             {"perl", "-e", "exec '" + sum + "'"},
                             {"nice", sum}};
    for (const Words& words : wrapped) {
        fs::remove_all(trace_directory());
        const Finished done = traced_job(2, words);
        EXPECT_EQ(done.status, 0) << words[0];
        EXPECT_EQ(done.out, "2 ranks, sum 1\n");
        EXPECT_EQ(done.err, "") << words[0];
        EXPECT_FALSE(fs::exists(trace_directory() + ".1"));
        EXPECT_EQ(runs().size(), 1u) << words[0];
        EXPECT_EQ(calls(), calls_of_sum) << words[0];
        expect_emulates();
    }
}

TEST_P(Wrappers, KilledWrappersLeaveTheTraceOfTheirRanks) {
    const std::string hangs = built("mpicc", "hangs", {"hangs.c"});
    fs::create_directory(path("left"));
    const Finished done =
        traced_job(2, {"timeout", "-s", "KILL", "1", hangs}, {"env", "OVNI_RUNDIR=" + path("left")});
    EXPECT_NE(done.status, 0);
    // Some are being removed.
    Words left;
    std::error_code fault;
    for (fs::recursive_directory_iterator entry(path("left"), fault), end; !fault && entry != end;
         entry.increment(fault))
        if (entry->path().extension() == ".run") left.push_back(entry->path());
    if (!left.empty()) run(Words{program("ovnirecover")} + left);
    expect_emulates();
    const Finished waiting = run({program("ovnitop"), "--waiting", trace_directory()});
    EXPECT_EQ(waiting.status, 0) << waiting.err;
    EXPECT_THAT(waiting.out, HasSubstr("MPI_Recv"));
}

// Hydra kills what it started once the socket of a rank closes: ovnirun is nothing of that, and the streams
// end. Whether the other rank has ended by then is a matter of luck, untraced as well.
TEST_P(Wrappers, ProgramsWithoutMpiFinalizeEndAsUntraced) {
    const std::string ends = built("mpicc", "ends", {"ends_early.c"});
    for (const char* how : {"return", "exit", "_exit"}) {
        // The launcher of Open MPI takes seconds each time.
        if (!*GetParam().suffix && *how != 'r') continue;
        const Finished plain = job(2, {ends, how}), done = traced_job(2, {ends, how});
        EXPECT_TRUE(*GetParam().suffix || done.status == plain.status) << how << done.err;
        expect_emulates();
        EXPECT_EQ(streams().size(), 2u) << how;
    }
}

// Wrappers of the tracer, around calls that an error handler leaves.
TEST_P(Wrappers, EndCallsThatExceptionsAndJumpsLeave) {
    const std::string leaves = built("mpicxx", "leaves", {"leaves_calls.cpp"});
    for (const char* how : {"throw", "jump"}) {
        const Finished done = traced_job(1, {leaves, how});
        ASSERT_EQ(done.status, 0) << done.err;
        const Trace trace = this->trace();
        for (const Mark& event : events_of(trace, 0))
            EXPECT_TRUE(event.code != "MS]" || event.clock < std::stoll(done.out)) << how;
        EXPECT_EQ(counts_of(trace, 0)["MS]"], 1) << how;
        expect_emulates();
    }
}

INSTANTIATE_TEST_SUITE_P(Families, Wrappers, BuiltPrograms::families(), BuiltPrograms::name_of);

class Preloads : public TracedTest {
 protected:
    // True if the library, or the program that preloads it, is here.
    static bool is_here(const std::string& library) {
        return run({"env", "LD_PRELOAD=" + library, "true"}).err.find("cannot be preloaded") ==
               std::string::npos;
    }
};

TEST_F(Preloads, AllocatorsAndOthersWorkInTheProgramAndInOurs) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "a sanitizer has an allocator of its own";
    int found = 0;
    for (const char* library : {"libtcmalloc_minimal.so.4", "libjemalloc.so.2", "libmimalloc.so.2",
                                "libprofiler.so.0", "libeatmydata.so", "libnss_wrapper.so"}) {
        if (!is_here(library)) continue;
        ++found;
        const std::string preload = std::string("LD_PRELOAD=") + library;
        fs::remove_all(trace_directory());
        const Finished done = mpirun(2, Words{"env", preload, program("ovnirun"), "-o", trace_directory()} +
                                            Words{app("rounds"), "3"});
        EXPECT_EQ(done.status, 0) << library << done.err;
        EXPECT_EQ(done.err, "") << library;
        for (const char* ours : {"ovniemu", "ovnitop", "ovnidump", "ovnisort", "ovnirecover", "ovnictl"})
            EXPECT_EQ(run({"env", preload, program(ours), "--version"}).status, 0) << library << ours;
        EXPECT_EQ(run({"env", preload, program("ovniemu"), trace_directory()}).status, 0) << library;
        expect_emulates();
    }
    if (found == 0) GTEST_SKIP() << "none of the libraries is installed";
}

TEST_F(Preloads, AFalseTimeIsTheProgramsAlone) {
    if (run({"faketime", "--version"}).status != 0) GTEST_SKIP() << "there is no faketime";
    const Finished done = traced(2, {"faketime", "-f", "+2d", app("rounds"), "3"});
    EXPECT_EQ(done.status, 0) << done.err;
    expect_emulates();
}

TEST_F(Preloads, AFalseRootMayBeAroundOrBelowTheTracer) {
    if (run({"fakeroot", "true"}).status != 0) GTEST_SKIP() << "there is no fakeroot, or it does not work";
    const Words ours{program("ovnirun"), "-o", trace_directory()}, theirs{app("rounds"), "3"};
    const Words fakeroot{"fakeroot"};
    for (const Words& words : {fakeroot + ours + theirs, ours + fakeroot + theirs}) {
        fs::remove_all(trace_directory());
        const Finished done = mpirun(2, words);
        EXPECT_EQ(done.status, 0) << done.err;
        expect_emulates();
    }
}

// It writes to a descriptor that it opened before ovnirun began, and takes itself out of LD_PRELOAD.
TEST_F(Preloads, WritersToDescriptorsOfTheirOwnHarmNoStream) {
    if (run({"heaptrack", "--version"}).status != 0) GTEST_SKIP() << "there is no heaptrack";
    const Finished done = mpirun(2, Words{"heaptrack", "-o", path("heap"), program("ovnirun"), "-o",
                                          trace_directory(), app("rounds"), "3"});
    EXPECT_EQ(done.status, 0) << done.err;
    expect_emulates();
}

TEST_F(Preloads, ProgramsWithASanitizerStart) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the runtime of a sanitizer cannot be loaded later";
    const std::string greeting = path("greeting");
    const std::string source = SOURCE_DIR "/tests/apps/greeting.c";
    const Finished built = run({"gcc", "-fsanitize=address", "-w", "-o", greeting, source});
    if (built.status != 0) GTEST_SKIP() << "gcc makes no program with AddressSanitizer";
    const Finished done = run({program("ovnirun"), "-o", trace_directory(), greeting});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "hello\n");
}

}  // namespace
}  // namespace ovni::test
