// The contents of the streams of a traced MPI program, which does not notice that it is traced.
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "tests/mpi/mpi_functions.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

namespace {

const Words heat = {app("heat"), "40", "30", "12"};

}  // namespace

class Ranks : public TracedTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Trace, Ranks, ::testing::Values(1, 2, 4));

TEST_P(Ranks, CallsDoNotNest) {
    ASSERT_EQ(traced(GetParam(), heat).status, 0);
    Trace trace = this->trace();
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        int depth = 0, deepest = 0;
        std::set<std::string> leaves;
        for (const MpiFunction& function : mpi_functions()) leaves.insert(function.leave);
        for (const Mark& event : events_of(trace, s)) {
            if (event.code[0] != 'M') continue;
            depth += leaves.count(event.code) ? -1 : 1;
            deepest = std::max(deepest, depth);
            EXPECT_GE(depth, 0);
        }
        EXPECT_EQ(depth, 0);
        EXPECT_EQ(deepest, 1);
    }
}

TEST_P(Ranks, TracingDoesNotChangeTheResult) {
    Finished plain = mpirun(GetParam(), heat);
    ASSERT_EQ(plain.status, 0) << plain.err;
    for (const Words& options : {Words{}, Words{"--loom", "rank"}, Words{"--cpu", "virtual"},
                                 Words{"--cpu=sample", "--loom=here"}}) {
        Finished done = traced(GetParam(), heat, options);
        EXPECT_EQ(done.status, 0);
        EXPECT_EQ(done.out, plain.out);
        expect_emulates();
    }
}

TEST_P(Ranks, MetadataHasTheCpuTimeOfTheProcess) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(traced(GetParam(), heat).status, 0);
    const int64_t duration = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
    Trace trace = this->trace();
    int processes = 0;
    for (const Stream& stream : trace.streams()) {
        const auto& use = stream.metadata.process->cpu_use;
        if (!use) continue;
        ++processes;
        EXPECT_GT(use->cpu, 0);
        EXPECT_LE(use->cpu, use->wall * std::thread::hardware_concurrency());
        EXPECT_LE(use->wall, duration);
    }
    EXPECT_EQ(processes, GetParam());
}

TEST_P(Ranks, MetadataSaysWhoTheProcessIs) {
    ASSERT_EQ(traced(GetParam(), heat).status, 0);
    Trace trace = this->trace();
    std::set<int> ranks;
    std::set<std::string> runs;
    for (const Stream& stream : trace.streams()) {
        const StreamMetadata& about = stream.metadata;
        ranks.insert(about.process->rank.value_or(-1));
        runs.insert(about.common->run.value_or(""));
        EXPECT_EQ(about.process->nranks, GetParam());
        EXPECT_EQ(about.process->app_id, 1);
        EXPECT_EQ(about.common->require.at("mpi"), "1.2.0");
        EXPECT_TRUE(about.finished);
        EXPECT_FALSE(about.end.has_value());
        EXPECT_FALSE(about.common->cpus.empty());
        EXPECT_EQ(about.common->cpus, trace.streams()[0].metadata.common->cpus);
        EXPECT_EQ(about.common->loom.find('.'), std::string::npos);
        EXPECT_TRUE(stream.relative_path().starts_with("loom." + about.common->loom + "/proc."));
    }
    EXPECT_EQ(ranks.size(), static_cast<size_t>(GetParam()));
    EXPECT_EQ(ranks.count(-1), 0u);
    EXPECT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs.count(""), 0u);
}

class TraceOfJob : public TracedTest {};

TEST_F(TraceOfJob, LinkedLibraryRecordsAsAPreloadedOne) {
    Finished done = mpirun(2, {app("heat_linked"), "40", "30", "12"}, {"OVNI_TRACEDIR=" + trace_directory()});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, mpirun(2, heat).out);
    EXPECT_EQ(trace().streams().size(), 2u);
    expect_emulates();
}

TEST_F(TraceOfJob, NamedRegionsSurroundTheirCalls) {
    ASSERT_EQ(traced(2, {app("heat"), "8", "8", "1"}).status, 0);
    EXPECT_EQ(story_of(trace(), 0),
              "MUi MUI OM[halo Mr[ Mr] Mr[ Mr] Ms[ Ms] Ms[ Ms] MWa MWA OM]halo OM[solve OM]solve "
              "OM[residual MAr MAR OM]residual ME[ ME] MUf MUF");
}

TEST_F(TraceOfJob, EarlyEndsKeepTheStatusAndHangNobody) {
    for (const char* how : {"abort", "exit", "segv"}) {
        Words words = {app("abort_one"), how, "1"};
        Finished plain = mpirun(2, words), done = traced(2, words);
        EXPECT_NE(done.status, 0) << how;
        EXPECT_EQ(done.status, plain.status) << how;
    }
}

TEST_F(TraceOfJob, AbortEndsTheStreamWithItsCode) {
    EXPECT_EQ(traced(1, {app("abort_one"), "abort", "0"}).status, 7);
    Trace trace = this->trace();
    ASSERT_EQ(trace.streams().size(), 1u);
    const StreamMetadata& about = trace.streams()[0].metadata;
    ASSERT_TRUE(about.end.has_value());
    EXPECT_EQ(*about.end->by, "exit");
    EXPECT_EQ(about.end->code, 7);
    EXPECT_TRUE(about.finished);
    EXPECT_EQ(story_of(trace, 0), "MUi MUI MCb MCB OM[before the end MX[1 cut");
}

TEST_F(TraceOfJob, ResolvingEverythingAtLoadTimeIsFine) {
    EXPECT_EQ(traced(2, heat, {}, {"LD_BIND_NOW=1"}).status, 0);
    EXPECT_EQ(trace().streams().size(), 2u);
}

TEST_F(TraceOfJob, LoomsByRankHaveTheirOwnNames) {
    ASSERT_EQ(traced(2, heat, {"--loom", "rank"}).status, 0);
    Trace trace = this->trace();
    std::set<std::string> suffixes;
    for (const Stream& stream : trace.streams())
        suffixes.insert(stream.metadata.common->loom.substr(stream.metadata.common->loom.find('.')));
    EXPECT_EQ(suffixes, (std::set<std::string>{".0", ".1"}));
    expect_emulates();
}

TEST_F(TraceOfJob, LoomsHaveTheCpusOfTheirRanks) {
    Words bound = {"--bind-to", "core", "--map-by", "core"};
    for (auto [loom, most] : {std::pair("rank", 2u), std::pair("host", 2u), std::pair("mine", 2u)}) {
        Finished done =
            mpirun(2, bound + Words{program("ovnirun"), "-o", trace_directory(), "--loom", loom} + heat);
        if (done.status != 0) GTEST_SKIP() << "two ranks cannot be bound to cores here: " << done.err;
        for (const Stream& stream : streams()) {
            EXPECT_GE(stream.metadata.common->cpus.size(), 1u);
            EXPECT_LE(stream.metadata.common->cpus.size(), most) << loom;
            if (most == 2) {
                EXPECT_EQ(stream.metadata.common->cpus, trace().streams()[0].metadata.common->cpus);
            }
            if (loom == std::string("mine")) {
                EXPECT_EQ(stream.metadata.common->loom, loom);
            }
        }
        expect_emulates();
    }
}

TEST_F(TraceOfJob, LinterTakesTracesInWhichNoCpuIsShared) {
    ASSERT_EQ(traced(1, heat).status, 0);
    expect_emulates({"-l"});
    Words bound = {"--bind-to", "core", "--map-by", "core", program("ovnirun"), "-o", trace_directory()};
    Finished done = mpirun(2, bound + heat);
    if (done.status != 0) GTEST_SKIP() << "two ranks cannot be bound to cores here: " << done.err;
    expect_emulates({"-l"});
    for (int ranks : {2, 4}) {
        ASSERT_EQ(traced(ranks, heat, {"--cpu", "virtual"}).status, 0);
        expect_emulates({"-l"});
    }
}

TEST_F(TraceOfJob, RanksThatShareACpuShowAsAnErrorState) {
    Words bound = {"--bind-to", "core:overload-allowed", "--map-by", "core", program("ovnirun"),
                   "-o",        trace_directory()};
    int ranks = 2 * static_cast<int>(std::thread::hardware_concurrency());
    if (ranks > 8) GTEST_SKIP() << "more than 4 CPUs would have to be filled twice";
    Finished done = mpirun(ranks, bound + heat);
    if (done.status != 0) GTEST_SKIP() << "ranks cannot be bound to cores here: " << done.err;
    Finished strict = run({program("ovniemu"), "-l", trace_directory()});
    EXPECT_EQ(strict.status, 1);
    EXPECT_NE(strict.err.find("more than one running thread on"), std::string::npos) << strict.err;
    Finished emulated = run({program("ovniemu"), trace_directory()});
    EXPECT_EQ(emulated.status, 0);
    EXPECT_NE(emulated.err.find("had more than one running thread"), std::string::npos) << emulated.err;
    std::ifstream labels(trace_directory() + "/cpu.pcf");
    std::string text{std::istreambuf_iterator<char>(labels), {}};
    EXPECT_NE(text.find("777  Error: too many threads"), std::string::npos);
}

TEST_F(TraceOfJob, VirtualCpuMeansNoMoves) {
    Words unbound = {"--bind-to", "none", program("ovnirun"), "-o", trace_directory()};
    ASSERT_EQ(mpirun(2, unbound + Words{"--cpu", "virtual"} + heat).status, 0);
    for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(counts_of(trace(), s)["OAs"], 0);
    expect_emulates();
}

// A rank that stays where it began moves nowhere.
TEST_F(TraceOfJob, ThreadsBeginOnTheCpuWhereTheyAreSeen) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is only one CPU to be on";
    Words unbound = {"--bind-to", "none", program("ovnirun"), "-o", trace_directory()};
    ASSERT_EQ(mpirun(2, unbound + heat).status, 0);
    const Trace trace = this->trace();
    for (uint32_t s = 0; s < 2; ++s) {
        StreamReader reader = trace.reader(s, 0, ClockOrder::checked);
        ASSERT_TRUE(reader.next());
        ASSERT_EQ(reader.event().code, EventCode("OHx"));
        int32_t cpu = -1;
        std::memcpy(&cpu, reader.event().payload().data(), sizeof cpu);
        EXPECT_GE(cpu, 0);
    }
    expect_emulates();
}

TEST_F(TraceOfJob, StreamsSayThatCpusAreSampledWithAndWithoutTheThreadsLibrary) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "a thread is bound to the only CPU";
    for (const Words& options : {Words{}, Words{"--threads", "mpi", "--pthread", "off", "--openmp", "off"}}) {
        Words unbound = {"--bind-to", "none", program("ovnirun"), "-o", trace_directory()};
        ASSERT_EQ(mpirun(3, unbound + options + heat).status, 0);
        for (const Stream& stream : streams())
            EXPECT_TRUE(stream.metadata.samples_cpus) << options.size() << " options";
        expect_emulates({"-l"});
    }
}

TEST_F(TraceOfJob, OlderTraceIsMovedAway) {
    auto runs_in = [&](const std::string& directory) {
        std::set<std::string> runs;
        Trace trace = Trace::open(directory);
        for (const Stream& stream : trace.streams()) runs.insert(*stream.metadata.common->run);
        return runs;
    };
    for (int i = 0; i < 3; ++i) ASSERT_EQ(traced(2, heat).status, 0);
    std::set<std::string> all;
    for (const char* name : {"ovni", "ovni.1", "ovni.2"}) {
        EXPECT_EQ(Trace::open(path(name)).streams().size(), 2u);
        auto runs = runs_in(path(name));
        EXPECT_EQ(runs.size(), 1u);
        all.merge(runs);
    }
    EXPECT_EQ(all.size(), 3u);
    EXPECT_FALSE(std::filesystem::exists(path("ovni.3")));
}

TEST_F(TraceOfJob, OtherFilesStayWhereTheyAre) {
    ASSERT_EQ(traced(2, heat).status, 0);
    std::ofstream(trace_directory() + "/main.c") << "mine";
    ASSERT_EQ(traced(2, heat).status, 0);
    for (const char* name : {"ovni/main.c", "ovni.1"})
        EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
    EXPECT_EQ(Trace::open(path("ovni.1")).streams().size(), 2u);
}

TEST_F(TraceOfJob, AppendKeepsTheOlderTrace) {
    ASSERT_EQ(traced(2, heat).status, 0);
    ASSERT_EQ(traced(2, heat, {"--append"}).status, 0);
    EXPECT_EQ(trace().streams().size(), 4u);
    EXPECT_FALSE(std::filesystem::exists(path("ovni.1")));
}

TEST_F(TraceOfJob, ProgramsOfOneRunStayTogether) {
    for (int i = 0; i < 2; ++i) ASSERT_EQ(traced(2, heat, {}, {"OVNI_RUN=a/b"}).status, 0);
    Trace trace = this->trace();
    EXPECT_EQ(trace.streams().size(), 4u);
    EXPECT_FALSE(std::filesystem::exists(path("ovni.1")));
}

TEST_F(TraceOfJob, NodesOfOneNameAreToldApart) {
    Finished done = mpirun(3, {std::string(BUILD_DIR) + "/tests/host_names"});
    ASSERT_EQ(done.status, 0) << done.err;
    std::set<std::string> names;
    std::istringstream lines(done.out);
    for (std::string line; std::getline(lines, line);) names.insert(line);
    ASSERT_EQ(names.size(), 3u) << done.out;
    std::string host = names.begin()->substr(2);
    EXPECT_EQ(names, (std::set<std::string>{"0 " + host, "1 " + host + "-2", "2 " + host + "-3"}));
}

}  // namespace ovni::test
