// ovniemu-mpi fails as ovniemu does, for any number of ranks: one message, and the same files are kept.
#include <fstream>

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

// Streams with equal clocks throughout, one of each kind of fault among them.
class ExactFailureTest : public DistributedTest {
 protected:
    StreamBuilder& thread(int tid) {
        StreamBuilder& stream = trace_.thread({.loom = "loom" + std::to_string(tid % 4), .tid = tid});
        stream.mark(1, "single", "step").mark(98, "single", "marker").set("ovni.mark.98.punctual", true);
        stream.starts(1000, -1);
        for (int i = 0; i < 100; ++i) stream.event("OM=", 1001 + i / 2, {i64(1 + i), tid % 3 == 0 ? 98 : 1});
        return stream;
    }
    void threads() {
        for (int tid = 1; tid < 9; ++tid) thread(tid).ends(1060);
    }
};

TEST_F(ExactFailureTest, AnErrorAmongTiesIsTheSameOnRanks) {
    threads();
    trace_.thread({.loom = "loom0", .tid = 30}).starts(1000, -1).event("OHr", 1030).event("OHr", 1030);
    trace_.thread({.loom = "loom3", .tid = 31}).starts(1000, -1).event("OHw", 1030).event("OHr", 1030);
    expect_same_failure("cannot ", exact);
}

TEST_F(ExactFailureTest, DamageAmongTiesIsTheSameOnRanks) {
    threads();
    thread(31).truncate(12);
    expect_same_failure("incomplete event", exact);
}

TEST_F(ExactFailureTest, DamageAtTheBeginningIsTheSameOnRanks) {
    threads();
    thread(31).cut_at(20);
    expect_same_failure("incomplete event", exact);
}

TEST_F(ExactFailureTest, AnErrorInCanonicalOrderIsTheSameOnRanks) {
    threads();
    trace_.thread({.loom = "loom0", .tid = 30}).starts(1000, -1).event("OHr", 1030);
    expect_same_failure("cannot run again");
}

TEST_F(DistributedTest, TheFirstErrorInGlobalOrderWins) {
    build(trace_, {.seed = 7, .events = 3000, .punctual = false});
    trace_.thread({.loom = "node0.x", .pid = 90, .tid = 90, .rank = 8, .nranks = 10, .cpus = {}})
        .starts(1100, -1)
        .event("OHr", 9000);
    trace_.thread({.loom = "node2.x", .pid = 90, .tid = 90, .rank = 9, .nranks = 10, .cpus = {}})
        .starts(1100, -1)
        .event("OHw", 5000);
    expect_same_failure("thread 90 cannot warm up");
}

TEST_F(DistributedTest, TooManyThreadsOnASharedCpuAreAnError) {
    for (int pid : {1, 2, 3, 4})
        trace_.thread({.loom = "node0.x", .pid = pid, .tid = pid, .cpus = {{0, 0}, {1, 1}}})
            .starts(1000 + pid, pid % 2)
            .ends(2000 + pid);
    expect_same_failure("more than one running thread on", {"-l"});
}

TEST_F(DistributedTest, DamageStopsAllRanksInItsPlace) {
    trace_.thread({.loom = "a", .tid = 1})
        .starts(10)
        .event("OB.", 20)
        .event("OB.", 30)
        .ends(4000)
        .truncate(5);
    trace_.thread({.loom = "b", .tid = 2}).starts(12).event("OHp", 25).event("OHr", 3000).ends(5000);
    trace_.thread({.loom = "c", .tid = 3}).starts(14).ends(28);
    expect_same_failure("incomplete event");
}

TEST_F(DistributedTest, AChecksumThatDiffersIsOneMessage) {
    StreamBuilder& bad = trace_.thread({.loom = "a", .tid = 1}).mark(1, "single", "step").starts(10);
    for (int i = 0; i < 20; ++i) bad.event("OM=", 20 + 10 * i, {i64(1 + i), 1});
    bad.ends(4000).checksums(240).flip(OVNI_FORMAT_STREAM_HEADER + 240 + 40, 2);  // a value
    trace_.thread({.loom = "b", .tid = 2}).starts(12).event("OHp", 25).event("OHr", 3000).ends(5000);
    trace_.thread({.loom = "c", .tid = 3}).starts(14).ends(28);
    const std::string cause = "thread.1/stream.obs:248: the 240 bytes from here on have the checksum";
    expect_same_failure(cause);
    expect_same_failure(cause, {"--exact-order"});
    std::string err = distributed(2, trace_.write(), output("again"), {"--exact-order"}).err;
    EXPECT_EQ(err.find(cause), err.rfind(cause)) << err;
}

TEST_F(DistributedTest, AChecksumExplainsAnEventThatIsWrong) {
    trace_.thread({.loom = "a", .tid = 1})
        .starts(10)
        .event("OHp", 20)
        .event("OHr", 30)
        .ends(40)
        .checksums(999);
    trace_.thread({.loom = "b", .tid = 2}).starts(12).event("OB.", 35).ends(5000).checksums(999).flip(37, 1);
    expect_same_failure("thread.2/stream.obs:8: the 52 bytes from here on have the checksum");
}

TEST_F(DistributedTest, AStreamThatIsNewerThanItsChecksumsIsOneWarning) {
    trace_.thread({.loom = "a", .tid = 1}).starts(10).ends(40).checksums(999).flip(30, 1);
    trace_.thread({.loom = "b", .tid = 2}).starts(12).ends(50).checksums(999);
    fs::path directory = trace_.write();
    fs::path stream = directory / "loom.a/proc.1/thread.1";
    fs::last_write_time(stream / "stream.obs",
                        fs::last_write_time(stream / "stream.crc") + std::chrono::milliseconds(1));
    for (const std::vector<std::string>& options :
         {std::vector<std::string>(), {"--exact-order", "--sort"}}) {
        Finished done = distributed(2, directory, output("out"), options);
        EXPECT_EQ(done.status, 0) << done.err;
        const std::string warning = "thread.1/stream.obs: differs from its checksums in stream.crc";
        EXPECT_THAT(done.err, HasSubstr(warning));
        EXPECT_EQ(done.err.find(warning), done.err.rfind(warning)) << done.err;
    }
}

TEST_F(DistributedTest, WarningsOfAnyRankAreToldOnce) {
    for (const char* loom : {"a", "b", "c"})
        trace_.thread({.loom = loom, .tid = loom[0]}).starts(10).ends(40).gaps_text("");
    const fs::path directory = trace_.write();
    for (const Workers& workers : every_sharing) {
        const Finished done = shared(workers, directory, output(workers.name()));
        EXPECT_EQ(done.status, 0) << done.err;
        for (const char* thread : {"thread.97", "thread.98", "thread.99"}) {
            const std::string warning = std::string(thread) + "/stream.gaps.json: is empty";
            EXPECT_THAT(done.err, HasSubstr(warning));
            EXPECT_EQ(done.err.find(warning), done.err.rfind(warning)) << done.err;
        }
    }
}

TEST_F(DistributedTest, DamageAtTheBeginningOfAStreamLeavesNoLines) {
    trace_.thread({.loom = "a", .tid = 1}).starts(10).ends(4000);
    trace_.thread({.loom = "b", .tid = 2}).starts(12).cut_at(20);
    expect_same_failure("incomplete event");
}

TEST_F(DistributedTest, AnErrorStopsARankWhoseWindowIsFull) {
    trace_.thread({.loom = "a", .tid = 1}).event("OHe", 10);
    StreamBuilder& busy = trace_.thread({.loom = "b", .tid = 2}).mark(1, "single", "step").starts(1000);
    for (int i = 0; i < 500; ++i) busy.event("OM=", 2000 + i, {i64(1 + i), 1});
    busy.ends(9000);
    expect_same_failure("cannot end: it is Unknown");
}

TEST_F(DistributedTest, AnEventInAStreamThatIsNoThreadsIsAnError) {
    trace_.thread({.loom = "a", .tid = 1}).starts(10).event("OB.", 40).ends(4000);
    trace_.thread({.loom = "b", .tid = 2}).starts(12).ends(5000);
    trace_.thread({.loom = "c", .tid = 3}).set("ovni.part", "other").event("OB.", 50);
    expect_same_failure("an event in a stream that is not a thread's");
}

TEST_F(DistributedTest, LabelsAreThoseOfTheLinesThatAreKept) {
    // The second loom is crowded at the very time of the error, and later in canonical order.
    trace_.thread({.loom = "a", .tid = 1}).starts(10).event("OHr", 50);
    for (int tid : {2, 3}) trace_.thread({.loom = "b", .tid = tid}).starts(48 + tid - 1).ends(90);
    expect_same_failure("cannot run again");
}

TEST_F(DistributedTest, AFullDiskIsAnErrorAndLeavesNothing) {
    const std::vector<std::string> unshare = {"unshare", "--user", "--map-root-user", "--mount", "sh", "-c"};
    auto in_namespace = [&](const std::string& command) {
        std::vector<std::string> words = unshare;
        words.push_back(command);
        return run(words, mpi_environment);
    };
    fs::create_directories(output("disk"));
    std::string mount = "mount -t tmpfs -o size=1m none " + output("disk").string();
    if (Finished probe = in_namespace(mount); probe.status != 0)
        GTEST_SKIP() << "no file system can be mounted here: " << probe.err;
    build(trace_, {.seed = 9, .events = 9000});
    fs::path directory = trace_.write();
    for (const char* ranks : {"1", "2"})
        for (const char* writer : {"thread", "at once"}) {
            const std::string emulate = std::string("OVNI_TEST_WRITER='") + writer + "' mpirun -n " + ranks +
                                        " " + program("ovniemu-mpi") + " -o " + output("disk").string() +
                                        " " + directory.string();
            Finished done = in_namespace(mount + " && " + emulate + "; status=$?; ls " +
                                         output("disk").string() + "; exit $status");
            EXPECT_EQ(done.status, 1) << done.err;
            EXPECT_THAT(done.err, HasSubstr("cannot write"));
            EXPECT_THAT(done.err, Not(HasSubstr("MPI_ABORT")));
            EXPECT_EQ(done.out, "cfg\n");
        }
}

TEST_F(DistributedTest, FaultsAtTheEndAreReportedTogether) {
    for (const char* loom : {"a", "b", "c"}) trace_.thread({.loom = loom, .tid = loom[0]}).starts(10);
    fs::path directory = trace_.write();
    Finished done = distributed(2, directory, output("out"));
    EXPECT_EQ(done.status, 1);
    for (const char* thread : {"thread 97 is Running", "thread 98 is Running", "thread 99 is Running"})
        EXPECT_THAT(done.err, HasSubstr(thread));
    EXPECT_TRUE(fs::exists(output("out") / "thread.prv"));
}

TEST_F(DistributedTest, ErrorsBeforeTheFirstEventAreToldOnce) {
    trace_.thread({.loom = "a"}).starts(10).ends(20).unfinished();
    trace_.thread({.loom = "b"}).starts(10).ends(20);
    Finished done = distributed(3, trace_.write(), output("out"));
    EXPECT_EQ(done.status, 1);
    size_t first = done.err.find("ovni.finished is not 1");
    ASSERT_NE(first, std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("ovni.finished is not 1", first + 1), std::string::npos) << done.err;
    EXPECT_FALSE(fs::exists(output("out") / "thread.prv"));
    EXPECT_EQ(distributed(2, "/does/not/exist", output("out")).status, 1);
    Finished unwritable = distributed(2, TraceBuilder().write(), "/proc/nowhere");
    EXPECT_EQ(unwritable.status, 1) << unwritable.err;
}

TEST_F(DistributedTest, WhatToDoIsToldOnceWhoeverSeesTheDamage) {
    const std::string advice = "INFO: --keep-going emulates what is good of a damaged trace\n";
    for (const char* damaged : {"a", "b"}) {
        TraceBuilder trace;
        for (const char* loom : {"a", "b"}) {
            StreamBuilder& stream = trace.thread({.loom = loom}).starts(10).ends(20);
            if (std::string_view(loom) == damaged) stream.cut_at(4);
        }
        const Finished done = distributed(2, trace.write(), output(damaged));
        EXPECT_EQ(done.status, 1);
        const size_t first = done.err.find(advice);
        ASSERT_NE(first, std::string::npos) << done.err;
        EXPECT_EQ(done.err.find(advice, first + 1), std::string::npos) << done.err;
    }
}

TEST_F(DistributedTest, ATraceThatIsNoDirectoryIsToldAlike) {
    const fs::path file = output("file");
    std::ofstream(file) << "no trace";
    for (const Finished& done : {serial(file, output("a")), distributed(2, file, output("b"))}) {
        EXPECT_EQ(done.status, 1);
        EXPECT_THAT(done.err, Not(HasSubstr("clocks.json")));
        EXPECT_THAT(done.err, HasSubstr("Not a directory"));
    }
}

TEST_F(DistributedTest, ADirectoryAtThePlaceOfAnOutputIsToldAlike) {
    trace_.thread().starts(10).ends(20);
    fs::path directory = trace_.write();
    fs::create_directories(output("out") / "thread.prv");
    Finished one = serial(directory, output("out")), all = distributed(2, directory, output("out"));
    EXPECT_EQ(one.status, 1);
    EXPECT_EQ(all.status, 1);
    const std::string message = (output("out") / "thread.prv").string() + ": is a directory";
    EXPECT_THAT(one.err, HasSubstr("ovniemu: ERROR: " + message));
    EXPECT_THAT(all.err, HasSubstr("ovniemu-mpi: ERROR: " + message));
}

TEST_F(DistributedTest, CompleteOutputsReplacePartialOnes) {
    trace_.thread().starts(10).ends(20).truncate(3);
    EXPECT_EQ(distributed(2, trace_.write(), output("out")).status, 1);
    EXPECT_TRUE(fs::exists(output("out") / "thread.partial.prv"));
    TraceBuilder good;
    good.thread().starts(10).ends(20);
    EXPECT_EQ(distributed(2, good.write(), output("out")).status, 0);
    EXPECT_TRUE(fs::exists(output("out") / "thread.prv"));
    for (const char* name : {"thread.partial.prv", "thread.partial.pcf", "cpu.partial.row"})
        EXPECT_FALSE(fs::exists(output("out") / name)) << name;
}

TEST_F(DistributedTest, HelpIsPrintedOnceAndMistakesAreRefused) {
    Finished help = run({"mpirun", "-n", "2", program("ovniemu-mpi"), "--help"}, mpi_environment);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out.find("usage:"), help.out.rfind("usage:"));
    for (const char* option :
         {"--keep-going", "--hdf5 FILE", "--report FILE", "--statistics FILE", "--local DIR"})
        EXPECT_THAT(help.out, HasSubstr(option));
    Finished unprinted = run({"bash", "-c", program("ovniemu-mpi") + " --help >/dev/full"}, mpi_environment);
    EXPECT_EQ(unprinted.status, 1);
    EXPECT_THAT(unprinted.err, HasSubstr("stdout: cannot write"));
    Finished usage = run({"mpirun", "-n", "2", program("ovniemu-mpi"), "--wrong"}, mpi_environment);
    EXPECT_EQ(usage.status, 2) << usage.err;
}

}  // namespace
}  // namespace ovni::test
