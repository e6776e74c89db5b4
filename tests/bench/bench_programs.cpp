// The programs of the benchmarks, on traces small enough for a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string bench(const std::string& name) {
    return std::string(BUILD_DIR) + "/bench/" + name;
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class BenchPrograms : public testing::Test {
 protected:
    Finished generate(const std::string& name, std::vector<std::string> options,
                      const std::string& models = "ovni,mpi") {
        options.insert(options.begin(), {bench("bench-trace"), "--models", models});
        options.push_back((directory_.path() / name).string());
        return run(options);
    }
    void expect_accepted(const std::string& name) const {
        Finished emulated = run({program("ovniemu"), "-l", "-o", path("out"), path(name)});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }
    std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

    TemporaryDirectory directory_;
};

TEST_F(BenchPrograms, GeneratedTraceIsAcceptedInLinterMode) {
    for (const char* events : {"64", "65", "101", "20000"}) {
        Finished made = generate(
            events, {"--looms", "2", "--processes", "2", "--threads", "3", "--ranked", "--events", events});
        ASSERT_EQ(made.status, 0) << made.err;
        expect_accepted(events);
    }
}

TEST_F(BenchPrograms, LoomsMayGrow) {
    ASSERT_EQ(generate("t", {"--looms", "3", "--threads", "1", "--events", "60000", "--growing"}).status, 0);
    expect_accepted("t");
    std::vector<double> sizes;
    for (const char* stream : {"loom.node0000.bench/proc.1/thread.1", "loom.node0001.bench/proc.2/thread.2",
                               "loom.node0002.bench/proc.3/thread.3"})
        sizes.push_back(static_cast<double>(content(path("t") + "/" + stream + "/stream.obs").size()));
    EXPECT_NEAR(sizes[1] / sizes[0], 2, 0.05);
    EXPECT_NEAR(sizes[2] / sizes[0], 3, 0.05);
}

TEST_F(BenchPrograms, ThreadsMayBeUnbound) {
    ASSERT_EQ(generate("t", {"--processes", "2", "--events", "20000", "--unbound"}).status, 0);
    expect_accepted("t");
}

TEST_F(BenchPrograms, GeneratedTasksAreAcceptedInLinterMode) {
    std::string help = run({program("ovniemu"), "--help"}).out;
    for (const char* model : {"nosv", "nanos6"}) {
        if (help.find(std::string(" ") + model + " ") == std::string::npos)
            GTEST_SKIP() << "ovniemu knows no model " << model;
        Finished made = generate(model, {"--mix", "tasks", "--processes", "2", "--events", "20000"}, model);
        ASSERT_EQ(made.status, 0) << made.err;
        expect_accepted(model);
    }
}

TEST_F(BenchPrograms, MessagesMayLieInFiles) {
    ASSERT_EQ(generate("t", {"--looms", "2", "--mix", "messages", "--ranked", "--threads", "1", "--events",
                             "100000"})
                  .status,
              0);
    for (const char* memory : {"1k", "100G"}) {
        const Finished emulated =
            run({program("ovniemu"), "--memory", memory, "-o", path(memory), path("t")});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
        EXPECT_EQ(emulated.err.find(" MB lay in files in ") != std::string::npos, std::string(memory) == "1k")
            << emulated.err;
    }
    EXPECT_EQ(content(path("1k") + "/thread.prv"), content(path("100G") + "/thread.prv"));
    EXPECT_NE(content(path("1k") + "/thread.prv").find("\n3:"), std::string::npos);
    const Finished refused = run({program("ovniemu"), "--memory", "much", "-o", path("no"), path("t")});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err,
                HasSubstr("--memory is a number of bytes or of k, M or G, such as 512M, not 'much'"));
}

TEST_F(BenchPrograms, TraceDependsOnNothingButItsShapeAndSeed) {
    for (const char* name : {"a", "b"}) ASSERT_EQ(generate(name, {"--events", "1000"}).status, 0);
    ASSERT_EQ(generate("c", {"--events", "1000", "--seed", "2"}).status, 0);
    const char* stream = "loom.node0003.bench/proc.4/thread.14/stream.obs";
    std::string a = content(path("a") + "/" + stream);
    EXPECT_GT(a.size(), 100U);
    EXPECT_EQ(a, content(path("b") + "/" + stream));
    EXPECT_NE(a, content(path("c") + "/" + stream));
}

TEST_F(BenchPrograms, ChecksumsAreThoseOfTheStreams) {
    // More than a block of each stream.
    ASSERT_EQ(generate("a", {"--looms", "1", "--threads", "2", "--events", "200000", "--checksums"}).status,
              0);
    EXPECT_GT(content(path("a") + "/loom.node0000.bench/proc.1/thread.2/stream.crc").size(), 8U + 16U);
    expect_accepted("a");
}

TEST_F(BenchPrograms, IdleEventsDoNotShow) {
    for (const char* idle : {"0", "10"}) {
        ASSERT_EQ(generate(idle, {"--events", "1000", "--idle", idle}).status, 0);
        ASSERT_EQ(run({program("ovniemu"), path(idle)}).status, 0);
    }
    for (const char* output : {"/thread.prv", "/cpu.prv"})
        EXPECT_EQ(content(path("0") + output), content(path("10") + output));
    const char* stream = "/loom.node0000.bench/proc.1/thread.1/stream.obs";
    EXPECT_GT(content(path("10") + stream).size(), 5 * content(path("0") + stream).size());
}

// Enough for several threads, and for several batches of readers.
TEST_F(BenchPrograms, ThreadsOpenManyStreams) {
    ASSERT_EQ(
        generate("t", {"--looms", "10", "--processes", "11", "--threads", "10", "--events", "5000"}).status,
        0);
    const std::string one = program("ovniemu") + " -j 1 -o " + path("one") + " " + path("t");
    ASSERT_EQ(run({program("ovniemu"), "-j", "2", "-o", path("two"), path("t")}).status, 0);
    for (const std::string& command : {one, "ulimit -n 64; " + one}) {
        const Finished done = run({"bash", "-c", command});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(content(path("one") + "/cpu.prv"), content(path("two") + "/cpu.prv"));
    }
    for (const char* damaged :
         {"/loom.node0004.bench/proc.50/thread.500", "/loom.node0005.bench/proc.56/thread.555"})
        std::ofstream(path("t") + damaged + "/stream.gaps.json") << "{";
    const Finished refused = run({"bash", "-c", one});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.err, HasSubstr("thread.500/stream.gaps.json:2: not valid JSON"));
}

TEST_F(BenchPrograms, ImpossibleShapesAreRefused) {
    for (const char* idle : {"3", "500"})
        EXPECT_THAT(generate("e", {"--idle", idle}).err, HasSubstr("must be even and below 500"));
    EXPECT_THAT(generate("a", {"--events", "10"}).err, HasSubstr("every stream needs 2 events"));
    EXPECT_THAT(generate("b", {"--mix", "tasks"}).err, HasSubstr("none of the models has tasks"));
    EXPECT_EQ(generate("c", {"--mix", "other"}).status, 2);
    EXPECT_EQ(generate("d", {"--models", "what"}).status, 2);
}

TEST_F(BenchPrograms, YardstickWritesAsMuchAsTheEmulator) {
    ASSERT_EQ(generate("ovni", {"--events", "20000"}).status, 0);
    ASSERT_EQ(run({program("ovniemu"), "-o", path("real"), path("ovni")}).status, 0);
    Finished done = run({bench("yardstick"), "--like", path("real"), path("ovni"), path("out")});
    ASSERT_EQ(done.status, 0) << done.err;
    for (const char* name : {"thread.prv", "cpu.prv"})
        EXPECT_EQ(fs::file_size(path("out") + "/" + name), fs::file_size(path("real") + "/" + name));
    EXPECT_THAT(content(path("out") + "/cpu.prv"), HasSubstr("\n2:0:1:1:"));
}

TEST_F(BenchPrograms, YardstickWritesWhatIsAskedFor) {
    ASSERT_EQ(generate("ovni", {"--events", "1000"}).status, 0);
    Finished done = run(
        {bench("yardstick"), "--thread-bytes", "1000001", "--cpu-bytes", "10", path("ovni"), path("out")});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(fs::file_size(path("out") + "/thread.prv"), 1000001U);
    EXPECT_EQ(fs::file_size(path("out") + "/cpu.prv"), 10U);
}

TEST_F(BenchPrograms, MeasureAppendsALineAndKeepsTheStatus) {
    EXPECT_EQ(run({bench("measure"), path("m"), "sh", "-c", "exit 3"}).status, 3);
    EXPECT_EQ(run({bench("measure"), path("m"), "true"}).status, 0);
    std::string lines = content(path("m"));
    EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
    EXPECT_THAT(lines, HasSubstr("\"status\": 3}\n"));
    EXPECT_THAT(lines, HasSubstr("\"peak_kib\": "));
}

}  // namespace

}  // namespace ovni::test
