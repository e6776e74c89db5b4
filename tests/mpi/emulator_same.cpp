// ovniemu-mpi writes the same bytes as ovniemu, for any number of ranks, and ovniemu for any number of
// threads.
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::ContainsRegex;

// Threads share all of these traces; jobs of MPI, some of each kind.
constexpr uint32_t seeds_for_ranks[] = {4, 7, 12, 15};

class SameBytesTest : public DistributedTest, public testing::WithParamInterface<RandomTrace> {
 protected:
    void SetUp() override {
        build(trace_, GetParam());
        directory_ = trace_.write();
    }
    void expect_same_bytes(const Finished& expected, const std::vector<std::string>& options,
                           const std::function<std::vector<std::string>(int)>& environment) {
        std::vector<Workers> all(std::begin(any_threads), std::end(any_threads));
        if (std::ranges::count(seeds_for_ranks, GetParam().seed) > 0)
            all.insert(all.end(), std::begin(any_ranks), std::end(any_ranks));
        for (const Workers& workers : all) {
            const fs::path out = output(workers.name());
            const Finished done = shared(workers, directory_, out, options, environment(workers.number));
            ASSERT_EQ(done.status, 0) << done.err;
            EXPECT_EQ(line_of_ties(done.err), line_of_ties(expected.err));
            expect_same(output("serial"), out);
        }
    }

    fs::path directory_;
};

class RandomTraceTest : public SameBytesTest {};

TEST_P(RandomTraceTest, AnyNumberOfRanksWritesTheSameBytes) {
    const Finished expected = serial(directory_, output("serial"), {"-b"});
    ASSERT_EQ(expected.status, 0) << expected.err;
    // A writer thread writes the window before the one that is emulated.
    expect_same_bytes(expected, {"-b"}, [](int number) -> std::vector<std::string> {
        if (number % 2 != 0) return {};
        return {"OVNI_TEST_WRITER=thread", "OVNI_TEST_WINDOW=500"};
    });
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
        RandomTrace{.seed = 8, .models = every_model, .cpus = 1, .crowded = true},
        // Ranks share one loom.
        RandomTrace{.seed = 9,
                    .looms = 1,
                    .processes = 5,
                    .events = 2000,
                    .cpus = 5,
                    .crowded = true,
                    .own_cpus = true},
        RandomTrace{.seed = 10,
                    .looms = 2,
                    .processes = 3,
                    .models = every_model,
                    .cpus = 7,
                    .crowded = true,
                    .own_cpus = true},
        // Its processes share CPUs.
        RandomTrace{.seed = 14, .looms = 1, .processes = 4, .punctual = false, .models = every_model},
        RandomTrace{.seed = 15,
                    .looms = 2,
                    .processes = 3,
                    .threads = 3,
                    .events = 2000,
                    .punctual = false,
                    .crowded = true}),
    [](const auto& each) { return "Seed" + std::to_string(each.param.seed); });

class ExactOrderTest : public SameBytesTest {};

TEST_P(ExactOrderTest, AnyNumberOfRanksWritesTheSameBytes) {
    const Finished expected = serial(directory_, output("serial"), exact);
    ASSERT_EQ(expected.status, 0) << expected.err;
    EXPECT_THAT(expected.err, HasSubstr("events share their clock"));
    ASSERT_EQ(serial(directory_, output("canonical")).status, 0);
    EXPECT_NE(read_file(output("canonical") / "thread.prv"), read_file(output("serial") / "thread.prv"));
    expect_same_bytes(expected, exact, [](int) { return std::vector<std::string>{"OVNI_TEST_WINDOW=2000"}; });
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExactOrderTest,
                         testing::Values(RandomTrace{.seed = 11},
                                         RandomTrace{.seed = 12, .looms = 3, .events = 9000}),
                         [](const auto& each) { return "Seed" + std::to_string(each.param.seed); });

TEST_F(DistributedTest, WhoHasNoWorkIsTold) {
    build(trace_, {.seed = 13, .looms = 1, .processes = 3, .events = 50, .cpus = 1, .crowded = true});
    const fs::path directory = trace_.write();
    for (const Workers& workers : {Workers{3}, Workers{3, Workers::Kind::threads}}) {
        const Finished done = shared(workers, directory, output(workers.name()));
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err, HasSubstr("1 of 3 ranks or threads have work: the trace has 3 processes, and"));
    }
    for (const auto& [options, reason] :
         {std::pair(std::vector<std::string>(), "those that share CPUs stay together (record with"),
          std::pair(exact, "one order with --exact-order")})
        EXPECT_THAT(shared({2, Workers::Kind::threads}, directory, output("why"), options).err,
                    HasSubstr(reason));
    const Finished many = shared({1000, Workers::Kind::threads}, directory, output("many"));
    EXPECT_EQ(many.status, 0) << many.err;
    EXPECT_THAT(many.err,
                HasSubstr("-j 1000: the trace has 3 processes, so at most 3 threads share the work"));
}

TEST_F(DistributedTest, WhoHasAllTheWorkGoesOnAlone) {
    build(trace_, {.seed = 17, .looms = 1, .processes = 3, .cpus = 1, .crowded = true});
    const fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("serial"), exact).status, 0);
    for (const Workers& workers : {Workers{3}, Workers{3, Workers::Kind::threads}}) {
        const std::string statistics = output(workers.name() + ".json");
        const Finished done =
            shared(workers, directory, output(workers.name()), {"--exact-order", "--statistics", statistics});
        ASSERT_EQ(done.status, 0) << done.err;
        expect_same(output("serial"), output(workers.name()));
        const Json ranks = Json::parse(read_file(statistics));
        ASSERT_EQ(ranks.size(), 3u);
        EXPECT_EQ(ranks[0]["processes"], 3);
        EXPECT_GT(ranks[0]["windows"], 0);
        EXPECT_EQ(ranks[0]["collectives_in_windows"], 0);
        EXPECT_EQ(ranks[1]["windows"], 0);
    }
}

TEST_F(DistributedTest, MoreThreadsThanCoresAreTold) {
    build(trace_, {.seed = 13, .looms = 2, .events = 50});
    const std::string trace = trace_.write();
    for (const char* threads : {"1", "2"}) {
        const Finished done = run(
            {"taskset", "-c", "0", program("ovniemu"), "-j", threads, "-o", output(threads).string(), trace});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.err.find("more threads (2) than cores (1): fewer are faster") != std::string::npos,
                  std::string(threads) == "2")
            << done.err;
    }
}

TEST_F(DistributedTest, TheCostIsTold) {
    build(trace_, {.seed = 13, .looms = 2, .events = 50});
    const fs::path directory = trace_.write();
    const std::pair<Workers, const char*> expected[] = {
        {{1, Workers::Kind::threads}, "s and [0-9.]+ MB"},
        {{2, Workers::Kind::threads}, "s: 2 threads, [0-9.]+ MB"},
        {{2}, "s: 2 ranks, at most [0-9.]+ MB each"}};
    for (const auto& [workers, line] : expected) {
        const fs::path file = output(workers.name() + ".json");
        const Finished done =
            shared(workers, directory, output(workers.name()), {"--statistics", file.string()});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err, ContainsRegex("it took [0-9.]+ " + std::string(line)));
        const auto statistics = nlohmann::json::parse(read_file(file));
        ASSERT_EQ(statistics.size(), static_cast<size_t>(workers.number));
        int64_t events = 0;
        for (const auto& rank : statistics) events += rank["events"].get<int64_t>();
        EXPECT_THAT(done.err, HasSubstr("processed " + std::to_string(events) + " input events"));
    }
}

TEST_F(DistributedTest, OptionsOfTheOtherEmulatorAreExplained) {
    for (const char* option : {"-j", "-j4", "--jobs"}) {
        const Finished done = distributed(1, "trace", output("x"), {option});
        EXPECT_EQ(done.status, 2);
        EXPECT_THAT(done.err, HasSubstr("ranks share the work here, start more of them with mpirun -n"));
    }
    const Finished done = serial("trace", output("x"), {"--local"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("ovniemu-mpi reads traces on disks of the nodes"));
}

TEST_F(DistributedTest, ExactOrderOfGapsAndOfOneClockIsThatOfOneProcess) {
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
    for (const Workers& workers : every_sharing) {
        fs::path out = output(workers.name());
        ASSERT_EQ(shared(workers, directory, out, exact).status, 0);
        expect_same(output("serial"), out);
    }
}

// Ranks agree on the order round by round. The first one lasts a power of two of ns.
TEST_F(DistributedTest, ExactOrderOfATieAtTheEndOfARoundIsThatOfOneProcess) {
    for (int tid : {1, 2, 3, 4}) {
        StreamBuilder& stream = trace_.thread(
            {.loom = tid < 4 ? "a" : "b", .pid = tid, .tid = tid, .cpus = {{0, 0}, {1, 1}, {2, 2}}});
        stream.starts(1000, tid % 3);
        for (int64_t width = 1; width <= int64_t{1} << 30; width *= 4)
            stream.event("OHp", 1000 + width).event("OHr", 1000 + 2 * width);
        stream.ends(int64_t{1} << 33);
    }
    const fs::path directory = trace_.write();
    const Finished expected = serial(directory, output("serial"), exact);
    ASSERT_EQ(expected.status, 0) << expected.err;
    for (const Workers& workers : {Workers{2}, Workers{2, Workers::Kind::threads}}) {
        const fs::path out = output(workers.name());
        ASSERT_EQ(shared(workers, directory, out, exact).status, 0);
        expect_same(output("serial"), out);
    }
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

class ReferenceTest : public DistributedTest {
 protected:
    // Nothing happens if the reference refuses the trace.
    void expect_agreement(const Workers& workers, const fs::path& golden) {
        const Json about = Json::parse(read_file(golden / "case.json"));
        if (!about["accepted"].get<bool>()) return;
        auto options = about["emulator_args"].get<std::vector<std::string>>();
        if (about["sort"].get<bool>()) options.push_back("--sort");
        const fs::path out = output(golden.filename());
        const Finished done = shared(workers, golden / "trace", out, options);
        EXPECT_EQ(done.status, 0) << done.err;
        for (const auto& file : fs::directory_iterator(golden / "expected"))
            EXPECT_TRUE(read_file(file.path()) == read_file(out / file.path().filename())) << file.path();
    }

    const fs::path cases_ = fs::path(SOURCE_DIR) / "tests/golden/cases";
};

TEST_F(ReferenceTest, AgreesOnItsOwnTraces) {
    for (const auto& golden : fs::directory_iterator(cases_))
        expect_agreement({3, Workers::Kind::threads}, golden.path());
}

// Several streams, breakdowns, regions to be sorted, CPUs in several parts.
class ReferenceOnRanksTest : public ReferenceTest, public testing::WithParamInterface<const char*> {};

TEST_P(ReferenceOnRanksTest, AgreesOnItsOwnTrace) {
    ASSERT_TRUE(fs::exists(cases_ / GetParam() / "expected"));
    expect_agreement({3}, cases_ / GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceOnRanksTest,
                         testing::Values("mpi-func", "nanos6-sponge-breakdown", "nosv-multiple-segment",
                                         "ovni-sort", "ovni-split-loom-cpus"),
                         [](const auto& each) {
                             std::string name = each.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST_F(DistributedTest, AnyWindowSizeGivesTheSameBytes) {
    build(trace_, {.seed = 8, .looms = 3, .events = 100});
    // More events at one time than a window holds.
    StreamBuilder& burst = trace_.thread({.loom = "z", .pid = 5, .tid = 5, .rank = 60, .nranks = 61});
    burst.mark(1, "single", "step").starts(1000);
    for (int i = 0; i < 300; ++i) burst.event("OM=", 1500, {i64(1 + i), 1});
    burst.ends(3000);
    fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("serial")).status, 0);
    for (const char* size : {"1", "10", "250"})
        for (const Workers& workers : every_sharing) {
            const fs::path out = output(workers.name() + size);
            Finished done = shared(workers, directory, out, {}, {std::string("OVNI_TEST_WINDOW=") + size});
            ASSERT_EQ(done.status, 0) << done.err;
            expect_same(output("serial"), out);
        }
}

}  // namespace
}  // namespace ovni::test
