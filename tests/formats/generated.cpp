// Formats of generated traces: every model, odd names, empty and wrong traces.
#include <fstream>
#include <map>

#include "tests/formats/formats.hpp"
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class GeneratedFormat : public DistributedTest, public testing::WithParamInterface<Format> {
 protected:
    void SetUp() override {
        if (const std::string missing = what_is_missing(GetParam()); !missing.empty())
            GTEST_SKIP() << missing;
    }
    // The trace from one thread, and from all who may share the work.
    void expect_same_bytes(std::vector<std::string> options = {}) {
        const Format& format = GetParam();
        const fs::path directory = trace_.write();
        const auto all_options = [&](const std::string& name) {
            std::vector<std::string> all = options;
            all.insert(all.end(), {format.option(), (output(name) / format.file).string()});
            return all;
        };
        fs::create_directories(output("serial"));
        const Finished expected = serial(directory, output("serial"), all_options("serial"));
        ASSERT_EQ(expected.status, 0) << expected.err;
        for (const Workers& workers : every_sharing) {
            const std::string name = workers.name();
            fs::create_directories(output(name));
            const Finished done =
                shared(workers, directory, output(name), all_options(name),
                       {"OVNI_TEST_WINDOW=" + std::to_string(workers.number * 300),
                        workers.number % 2 == 0 ? "OVNI_TEST_WRITER=thread" : "OVNI_TEST_NOTHING="});
            ASSERT_EQ(done.status, 0) << done.err;
            expect_equal_bytes(output("serial") / format.file, output(name) / format.file);
        }
    }
    // An output of an earlier emulation, and whether it is still there: a file, or an archive in a directory.
    static fs::path file_of_earlier(const fs::path& path) {
        return GetParam().is_directory ? path / "traces.otf2" : path;
    }
    static void make_earlier(const fs::path& path) {
        fs::create_directories(file_of_earlier(path).parent_path());
        std::ofstream(file_of_earlier(path)) << "of an earlier emulation";
    }
    static void expect_earlier(const fs::path& path) {
        EXPECT_EQ(read_file(file_of_earlier(path)), "of an earlier emulation");
    }
    std::string checked_alone() {
        return checked(GetParam(), output("serial") / GetParam().file, output("serial"));
    }
};

TEST_P(GeneratedFormat, EveryModelIsWritten) {
    build(trace_,
          {.seed = 31, .looms = 3, .events = 1500, .models = every_model, .hosts = 2, .clock_offsets = true});
    expect_same_bytes();
    EXPECT_THAT(checked_alone(), testing::ContainsRegex(GetParam().of_every_model));
}

TEST_P(GeneratedFormat, OpenStatesAndCrowdedCpusAreWritten) {
    build(trace_, {.seed = 32,
                   .models = every_model,
                   .cpus = 1,
                   .ranks = Ranks::mixed,
                   .crowded = true,
                   .leave_open = true});
    expect_same_bytes();
    checked_alone();
}

// As tables name them. The page has a test of its own, columns have numbers.
TEST_P(GeneratedFormat, NamesRanksOfSeveralWorldsApart) {
    const std::map<std::string, std::string> words{
        {"perfetto", "rank "}, {"otf2", "MPI Rank "}, {"paje", "rank "}};
    const auto word = words.find(GetParam().name);
    if (word == words.end()) return;
    for (int app : {1, 2})
        trace_
            .thread({.loom = "node" + std::to_string(app) + ".a",
                     .pid = app,
                     .tid = app,
                     .app_id = app,
                     .rank = 0,
                     .nranks = 1})
            .starts(100)
            .ends(400);
    expect_same_bytes();
    const std::string file = GetParam().is_directory ? GetParam().file + "/traces.def" : GetParam().file;
    const std::string text = read_file(output("serial") / file);
    for (const char* name : {"1.0", "2.0"}) EXPECT_THAT(text, HasSubstr(word->second + name));
}

TEST_P(GeneratedFormat, OddNamesAreWritten) {
    trace_.thread({.tid = 1, .require = {{"ovni", "1.1.0"}, {"nosv", "2.4.0"}}})
        .mark(1, "stack", "a \"quoted\" \\ title")
        .starts(100)
        .jumbo("VYc", 150, {u32(1), "caf\xe9 \"\\' \x01\x1b[31m\ttab"})
        .event("VTc", 160, {u32(1), u32(1)})
        .event("VTx", 200, {u32(1), u32(0)})
        .event("OM[", 210, {i64(3), 1})
        .event("OM]", 220, {i64(3), 1})
        .event("VTe", 300, {u32(1), u32(0)})
        .ends(400);
    expect_same_bytes();
    const Finished done = run({"/usr/bin/python3", "-B", SOURCE_DIR "/tests/formats/" + GetParam().checker,
                               (output("serial") / GetParam().file).string()});
    EXPECT_EQ(done.status, 0) << done.err;
}

// Markup, quotes and control characters in names of hosts, threads and regions.
TEST_P(GeneratedFormat, OddNamesOfHostsThreadsAndRegionsAreWritten) {
    const std::string odd = "</script><b a=\"'\">& \xe2\x80\xa8 \x01\x1b[31m\x7f\t%d \\";
    constexpr int region = 99;
    trace_.thread({.loom = "node.a", .tid = 1, .rank = 0, .nranks = 1, .require = {{"ovni", "1.1.0"}}})
        .mark(region, "stack", odd, {{1001, odd}})
        .set("ovni.host", odd)
        .set("ovni.name", odd)
        .starts(100)
        .event("OM[", 210, {i64(1001), region})
        .event("OM]", 220, {i64(1001), region})
        .ends(400);
    expect_same_bytes();
    const Finished done = run({"/usr/bin/python3", "-B", SOURCE_DIR "/tests/formats/" + GetParam().checker,
                               (output("serial") / GetParam().file).string()});
    EXPECT_EQ(done.status, 0) << done.err;
}

TEST_P(GeneratedFormat, AnEmptyTraceHasAnEmptyOutput) {
    expect_same_bytes({"--empty-ok"});
    checked_alone();
}

TEST_P(GeneratedFormat, AWrongEventMakesAPartialOutput) {
    const Format& format = GetParam();
    build(trace_, {.seed = 33, .events = 500});
    trace_.thread({.loom = "bad", .tid = 9}).starts(10).event("OHr", 2000);
    const fs::path directory = trace_.write();
    for (int ranks : {0, 3}) {
        const fs::path out = output("out" + std::to_string(ranks));
        fs::create_directories(out);
        make_earlier(out / format.file);
        const std::vector<std::string> options{format.option(), (out / format.file).string()};
        const Finished done =
            ranks == 0 ? serial(directory, out, options) : distributed(ranks, directory, out, options);
        EXPECT_EQ(done.status, 1);
        expect_earlier(out / format.file);
        checked(format, out / format.partial, out, Names::partial);
        expect_equal_bytes(output("out0") / format.partial, out / format.partial);
    }
}

TEST_P(GeneratedFormat, ADamagedTraceHasAWholeOutputIfItMayKeepGoing) {
    build(trace_, {.seed = 34, .looms = 2, .events = 500});
    trace_.thread({.loom = "bad", .tid = 9}).starts(10).event("OHr", 2000).ends(3000);
    trace_.thread({.loom = "cut", .tid = 10}).starts(10).ends(3000).cut_at(60);
    expect_same_bytes({"--keep-going"});
    checked_alone();
    EXPECT_FALSE(fs::exists(output("serial") / GetParam().partial));
}

TEST_P(GeneratedFormat, AWholeOutputReplacesAPartialOne) {
    const Format& format = GetParam();
    trace_.thread().starts(10).ends(20);
    fs::create_directories(output("serial"));
    make_earlier(output("serial") / format.partial);
    expect_same_bytes();
    EXPECT_FALSE(fs::exists(output("serial") / format.partial));
}

TEST_P(GeneratedFormat, AnOutputThatCannotBeMadeIsAnErrorBeforeAnythingElse) {
    trace_.thread().starts(10).ends(20);
    const fs::path directory = trace_.write();
    const std::vector<std::string> options{GetParam().option(), "/proc/nowhere/x"};
    for (const Finished& done :
         {serial(directory, output("one"), options), distributed(2, directory, output("two"), options)}) {
        EXPECT_EQ(done.status, 1);
        EXPECT_THAT(done.err, HasSubstr("/proc/nowhere/x"));
    }
    EXPECT_FALSE(fs::exists(output("one") / "thread.prv"));
    EXPECT_FALSE(fs::exists(output("two") / "thread.prv"));
}

TEST_P(GeneratedFormat, LeavesAnotherDirectoryAlone) {
    trace_.thread().starts(10).ends(20);
    const fs::path directory = trace_.write(), taken = output("taken");
    fs::create_directories(taken);
    std::ofstream(taken / "precious") << "kept";
    const std::vector<std::string> options{GetParam().option(), taken.string()};
    for (const Finished& done :
         {serial(directory, output("one"), options), distributed(2, directory, output("two"), options)})
        EXPECT_EQ(done.status, 1) << done.err;
    EXPECT_EQ(read_file(taken / "precious"), "kept");
}

INSTANTIATE_TEST_SUITE_P(Formats, GeneratedFormat, testing::ValuesIn(formats), name_of_case);

}  // namespace
}  // namespace ovni::test
