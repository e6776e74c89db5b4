// ovniemu-mpi against ovniemu: the same bytes, the same errors, for any number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/file.hpp"
#include "ovni/format.h"
#include "support/process.hpp"
#include "support/random_trace.hpp"
#include "support/trace_builder.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> mpi_environment = {
    "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
    "OMPI_MCA_mpi_yield_when_idle=1", "ASAN_OPTIONS=detect_leaks=0"};

class DistributedTest : public testing::Test {
 protected:
    Finished serial(const fs::path& directory, const fs::path& output,
                    std::vector<std::string> options = {}) {
        options.insert(options.begin(), {program("ovniemu"), "-o", output.string()});
        options.push_back(directory.string());
        return run(options);
    }
    Finished distributed(int ranks, const fs::path& directory, const fs::path& output,
                         const std::vector<std::string>& options = {},
                         std::vector<std::string> environment = {}) {
        std::vector<std::string> words = {
            "mpirun", "-n", std::to_string(ranks), program("ovniemu-mpi"), "-o", output.string()};
        words.insert(words.end(), options.begin(), options.end());
        words.push_back(directory.string());
        environment.insert(environment.end(), mpi_environment.begin(), mpi_environment.end());
        return run(words, environment);
    }
    // Every file of one output directory is in the other, with the same bytes.
    static void expect_same(const fs::path& a, const fs::path& b) {
        for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
            for (const auto& entry : fs::recursive_directory_iterator(one)) {
                fs::path twin = other / fs::relative(entry.path(), one);
                ASSERT_TRUE(fs::exists(twin)) << twin << " is missing";
                if (entry.is_regular_file()) {
                    EXPECT_TRUE(read_file(entry.path()) == read_file(twin)) << twin << " differs";
                }
            }
    }
    fs::path output(const std::string& name) { return outputs_.path() / name; }
    // The line that counts ties, as all emulators print it.
    static std::string line_of_ties(const std::string& err) {
        size_t at = err.find(" events share their clock");
        if (at == err.npos) return {};
        size_t begin = err.rfind(' ', at - 1) + 1;
        return err.substr(begin, err.find('\n', at) - begin);
    }
    static std::string message(const std::string& err) {
        for (size_t at = 0; at < err.size();) {
            size_t end = err.find('\n', at);
            std::string line = err.substr(at, end - at);
            if (size_t error = line.find("ERROR: "); error != line.npos) return line.substr(error);
            at = end + 1;
        }
        return {};
    }
    // Errors are the same, and so is what is kept.
    void expect_same_failure(const std::string& cause, const std::vector<std::string>& options = {}) {
        fs::path directory = trace_.write();
        Finished expected = serial(directory, output("serial"), options);
        EXPECT_EQ(expected.status, 1);
        EXPECT_THAT(expected.err, HasSubstr(cause));
        for (int ranks : {1, 2, 3}) {
            fs::path out = output("ranks" + std::to_string(ranks));
            Finished done = distributed(ranks, directory, out, options, {"OVNI_TEST_WINDOW=100"});
            EXPECT_EQ(done.status, 1);
            EXPECT_EQ(message(done.err), message(expected.err)) << done.err;
            expect_same(output("serial"), out);
        }
    }

    TraceBuilder trace_;

 private:
    TemporaryDirectory outputs_;
};

class RandomTraceTest : public DistributedTest, public testing::WithParamInterface<RandomTrace> {};

TEST_P(RandomTraceTest, AnyNumberOfRanksWritesTheSameBytes) {
    build(trace_, GetParam());
    fs::path directory = trace_.write();
    Finished expected = serial(directory, output("serial"), {"-b"});
    ASSERT_EQ(expected.status, 0) << expected.err;
    for (int ranks : {1, 2, 3, 4}) {
        fs::path out = output("ranks" + std::to_string(ranks));
        // What is written beside the emulation is the window before.
        std::vector<std::string> beside = {"OVNI_TEST_WRITER=thread", "OVNI_TEST_WINDOW=500"};
        Finished done =
            distributed(ranks, directory, out, {"-b"}, ranks % 2 == 0 ? beside : std::vector<std::string>());
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(line_of_ties(done.err), line_of_ties(expected.err));
        expect_same(output("serial"), out);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, RandomTraceTest,
    testing::Values(
        RandomTrace{.seed = 1}, RandomTrace{.seed = 2, .punctual = false},
        RandomTrace{.seed = 3, .looms = 7, .events = 50},
        // Longer than a window of the exchange.
        RandomTrace{.seed = 4, .threads = 3, .events = 6000}, RandomTrace{.seed = 5, .looms = 1},
        RandomTrace{.seed = 6, .models = every_model},
        RandomTrace{
            .seed = 7, .looms = 3, .events = 2000, .models = every_model, .hosts = 2, .clock_offsets = true},
        RandomTrace{.seed = 8, .models = every_model, .cpus = 1, .crowded = true}),
    [](const auto& each) { return "Seed" + std::to_string(each.param.seed); });

const std::vector<std::string> exact = {"--exact-order"};

class ExactOrderTest : public DistributedTest, public testing::WithParamInterface<RandomTrace> {};

TEST_P(ExactOrderTest, AnyNumberOfRanksWritesTheSameBytes) {
    build(trace_, GetParam());
    fs::path directory = trace_.write();
    Finished expected = serial(directory, output("serial"), exact);
    ASSERT_EQ(expected.status, 0) << expected.err;
    EXPECT_THAT(expected.err, HasSubstr("events share their clock"));
    ASSERT_EQ(serial(directory, output("canonical")).status, 0);
    EXPECT_NE(read_file(output("canonical") / "thread.prv"), read_file(output("serial") / "thread.prv"));
    for (int ranks : {1, 2, 3, 4}) {
        fs::path out = output("ranks" + std::to_string(ranks));
        Finished done = distributed(ranks, directory, out, exact, {"OVNI_TEST_WINDOW=2000"});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(line_of_ties(done.err), line_of_ties(expected.err));
        expect_same(output("serial"), out);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExactOrderTest,
                         testing::Values(RandomTrace{.seed = 11},
                                         // Longer than a round of clocks.
                                         RandomTrace{.seed = 12, .looms = 3, .events = 9000}),
                         [](const auto& each) { return "Seed" + std::to_string(each.param.seed); });

TEST_F(DistributedTest, ExactOrderOfGapsAndOfOneClock) {
    build(trace_, {.seed = 13, .looms = 3, .events = 200});
    for (const char* loom : {"x", "y", "z"}) {
        StreamBuilder& stream =
            trace_.thread({.loom = loom, .pid = 5, .tid = 5, .rank = 6 + loom[0] - 'x', .nranks = 9});
        stream.mark(1, "single", "step").starts(1000, -1);
        for (int i = 0; i < 300; ++i) stream.event("OM=", 1500, {i64(1 + i), 1});
        stream.gap(1500, 1700).event("OM=", 1700, {i64(7), 1}).gap(1800 + loom[0], 1950);
        stream.event("OM=", 2000, {i64(8), 1}).ends(3000);
    }
    fs::path directory = trace_.write();
    Finished expected = serial(directory, output("serial"), exact);
    ASSERT_EQ(expected.status, 0) << expected.err;
    for (int ranks : {2, 4}) {
        fs::path out = output("ranks" + std::to_string(ranks));
        ASSERT_EQ(distributed(ranks, directory, out, exact).status, 0);
        expect_same(output("serial"), out);
    }
}

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

TEST_F(ExactFailureTest, AnErrorAmongTies) {
    threads();
    trace_.thread({.loom = "loom0", .tid = 30}).starts(1000, -1).event("OHr", 1030).event("OHr", 1030);
    trace_.thread({.loom = "loom3", .tid = 31}).starts(1000, -1).event("OHw", 1030).event("OHr", 1030);
    expect_same_failure("cannot ", exact);
}

TEST_F(ExactFailureTest, DamageAmongTies) {
    threads();
    thread(31).truncate(12);
    expect_same_failure("incomplete event", exact);
}

TEST_F(ExactFailureTest, DamageAtTheBeginning) {
    threads();
    thread(31).cut_at(20);
    expect_same_failure("incomplete event", exact);
}

TEST_F(ExactFailureTest, InCanonicalOrderToo) {
    threads();
    trace_.thread({.loom = "loom0", .tid = 30}).starts(1000, -1).event("OHr", 1030);
    expect_same_failure("cannot run again");
}

TEST_F(DistributedTest, TheOrderInWhichTheDirectoryIsListedDoesNotMatter) {
    build(trace_, {.seed = 6});
    fs::path directory = trace_.write();
    std::vector<fs::path> streams;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
        if (entry.path().filename() == "stream.json")
            streams.push_back(fs::relative(entry.path().parent_path(), directory));
    std::ranges::sort(streams);
    TemporaryDirectory other;
    for (auto stream = streams.rbegin(); stream != streams.rend(); ++stream) {
        fs::create_directories((other.path() / *stream).parent_path());
        fs::copy(directory / *stream, other.path() / *stream);
    }
    ASSERT_EQ(serial(directory, output("one")).status, 0);
    ASSERT_EQ(distributed(2, other.path(), output("other")).status, 0);
    expect_same(output("one"), output("other"));
}

class ReferenceTest : public DistributedTest, public testing::WithParamInterface<int> {};

TEST_P(ReferenceTest, AgreesOnItsOwnTraces) {
    for (const auto& entry : fs::directory_iterator(fs::path(SOURCE_DIR) / "tests/golden/cases")) {
        Json about = Json::parse(read_file(entry.path() / "case.json"));
        if (!about["accepted"].get<bool>()) continue;
        auto options = about["emulator_args"].get<std::vector<std::string>>();
        if (about["sort"].get<bool>()) options.push_back("--sort");
        fs::path out = output(entry.path().filename());
        Finished done = distributed(GetParam(), entry.path() / "trace", out, options);
        EXPECT_EQ(done.status, 0) << done.err;
        for (const auto& file : fs::directory_iterator(entry.path() / "expected"))
            EXPECT_TRUE(read_file(file.path()) == read_file(out / file.path().filename())) << file.path();
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ReferenceTest, testing::Values(1, 2, 3, 4),
                         testing::PrintToStringParamName());

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
        const std::string warning = "thread.1/stream.obs: differs from stream.crc";
        EXPECT_THAT(done.err, HasSubstr(warning));
        EXPECT_EQ(done.err.find(warning), done.err.rfind(warning)) << done.err;
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

TEST_F(DistributedTest, AnEventInAStreamThatIsNoThreads) {
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

TEST_F(DistributedTest, AnyWindowSizeGivesTheSameBytes) {
    build(trace_, {.seed = 8, .looms = 3, .events = 100});
    // More events at one time than a window holds.
    StreamBuilder& burst = trace_.thread({.loom = "z", .pid = 5, .tid = 5, .rank = 60, .nranks = 61});
    burst.mark(1, "single", "step").starts(1000);
    for (int i = 0; i < 300; ++i) burst.event("OM=", 1500, {i64(1 + i), 1});
    burst.ends(3000);
    fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("serial")).status, 0);
    for (const char* size : {"1", "10", "250"}) {
        Finished done =
            distributed(2, directory, output(size), {}, {std::string("OVNI_TEST_WINDOW=") + size});
        ASSERT_EQ(done.status, 0) << done.err;
        expect_same(output("serial"), output(size));
    }
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
    std::string emulate =
        "mpirun -n 2 " + program("ovniemu-mpi") + " -o " + output("disk").string() + " " + directory.string();
    Finished done = in_namespace(mount + " && " + emulate + "; status=$?; ls " + output("disk").string() +
                                 "; exit $status");
    EXPECT_EQ(done.status, 1) << done.err;
    EXPECT_THAT(done.err, HasSubstr("cannot write"));
    EXPECT_EQ(done.out, "cfg\n");
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

TEST_F(DistributedTest, TheFailureOfARenameIsThatOfTheSerialEmulator) {
    trace_.thread().starts(10).ends(20);
    fs::path directory = trace_.write();
    fs::create_directories(output("out") / "thread.prv");
    Finished one = serial(directory, output("out")), all = distributed(2, directory, output("out"));
    EXPECT_EQ(one.status, 1);
    EXPECT_EQ(all.status, 1);
    const std::string message =
        (output("out") / "thread.prv").string() + ": cannot put the new file into its place";
    EXPECT_THAT(one.err, HasSubstr("ovniemu: " + message));
    EXPECT_THAT(all.err, HasSubstr("ovniemu-mpi: " + message));
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

// Two ranks with working directories of their own see different directories by one relative name, as on nodes
// that share none.
TEST_F(DistributedTest, ADirectoryThatIsNotSharedIsTold) {
    trace_.thread({.loom = "a"}).starts(10).ends(20);
    fs::path directory = trace_.write();
    fs::create_directories(output("elsewhere"));
    auto on_two_nodes = [&](const std::string& trace, const std::string& out) {
        std::vector<std::string> words = {"mpirun"};
        for (const fs::path& place : {directory, output("elsewhere")}) {
            for (const std::string& word :
                 {std::string("-n"), std::string("1"), std::string("-wdir"), place.string(),
                  program("ovniemu-mpi"), std::string("-o"), out, trace})
                words.push_back(word);
            words.emplace_back(":");
        }
        words.pop_back();
        return run(words, mpi_environment);
    };
    Finished trace = on_two_nodes(".", output("out"));
    EXPECT_EQ(trace.status, 1);
    EXPECT_THAT(trace.err, HasSubstr("is the directory shared by all nodes?"));
    EXPECT_THAT(trace.err, HasSubstr("stream.json"));
    Finished out = on_two_nodes(directory, "out");
    EXPECT_EQ(out.status, 1);
    EXPECT_THAT(out.err,
                HasSubstr("out/thread.prv: cannot open what rank 0 has made (is the directory shared by"));
    EXPECT_FALSE(fs::exists(directory / "out/thread.prv"));
}

TEST_F(DistributedTest, CommandLine) {
    Finished help = run({"mpirun", "-n", "2", program("ovniemu-mpi"), "--help"}, mpi_environment);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out.find("usage:"), help.out.rfind("usage:"));
    EXPECT_THAT(help.out, HasSubstr("[--exact-order] [--statistics FILE] TRACE\n"));
    Finished unprinted = run({"bash", "-c", program("ovniemu-mpi") + " --help >/dev/full"}, mpi_environment);
    EXPECT_EQ(unprinted.status, 1);
    EXPECT_THAT(unprinted.err, HasSubstr("stdout: cannot write"));
    Finished usage = run({"mpirun", "-n", "2", program("ovniemu-mpi"), "--wrong"}, mpi_environment);
    EXPECT_EQ(usage.status, 2) << usage.err;
}

}  // namespace
}  // namespace ovni::test
