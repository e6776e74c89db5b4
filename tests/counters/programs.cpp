// Programs that are counted, by the real perf_event_open. They measure themselves; the tracer's own use at
// the borders is what the margins are for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <sstream>

#include "core/counter_names.hpp"
#include "tests/counters/counted.hpp"
#include "tests/support/asan_options.hpp"
#include "tests/support/own_shared_memory.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

[[maybe_unused]] testing::Environment* const shared_memory =
    testing::AddGlobalTestEnvironment(new OwnSharedMemory);

const std::string target = BUILD_DIR "/tests/counted_target";

struct Section {
    int64_t faults = 0, clock = 0, switches = 0;
};

class CountedProgram : public testing::Test {
 protected:
    Finished count(const std::string& list, const std::string& mode) {
        return run(Words{program("ovnirun"), "-o", trace_directory(), "--counters", list, target, mode},
                   {"ASAN_OPTIONS=" + asan_options});
    }
    std::string trace_directory() const { return directory_.path() / "ovni"; }
    Trace trace() const { return Trace::open(trace_directory()); }
    // The sections as they measured themselves, in the order in which they ended.
    static std::vector<Section> sections(const std::string& out) {
        std::vector<Section> all;
        std::istringstream in(out);
        for (Section s; in >> s.faults >> s.clock >> s.switches;) all.push_back(s);
        return all;
    }
    // The borders at which sections end.
    static std::vector<Border> ends(const Trace& trace, uint32_t stream) {
        std::vector<Border> all;
        for (const Border& border : borders_of(trace, stream))
            if (border.event == "OM]") all.push_back(border);
        return all;
    }
    static void expect_counts(const Border& counted, const Section& measured) {
        constexpr int64_t faults_of_tracer = 300, switches_of_tracer = 100, ns_of_tracer = 50'000'000;
        EXPECT_GE(counted.deltas.at("page-faults"), measured.faults);
        EXPECT_LE(counted.deltas.at("page-faults"), measured.faults + faults_of_tracer);
        EXPECT_GE(counted.deltas.at("context-switches"), measured.switches);
        EXPECT_LE(counted.deltas.at("context-switches"), measured.switches + switches_of_tracer);
        EXPECT_GE(counted.deltas.at("task-clock"), measured.clock);
        EXPECT_LE(counted.deltas.at("task-clock"), measured.clock + ns_of_tracer);
    }
    void expect_emulates() const {
        Finished done = run({program("ovniemu"), "-l", trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
    }

 private:
    TemporaryDirectory directory_;
};

const std::string three = "page-faults,task-clock,context-switches";

TEST_F(CountedProgram, CountsWhatGetrusageCounts) {
    Finished done = count(three, "plain");
    EXPECT_EQ(done.status, 7);
    EXPECT_EQ(done.err, "");
    const std::vector<Section> measured = sections(done.out);
    const Trace all = trace();
    ASSERT_EQ(all.streams().size(), 1u);
    const std::vector<Border> counted = ends(all, 0);
    ASSERT_EQ(measured.size(), 2u);
    ASSERT_EQ(counted.size(), 2u);
    EXPECT_GE(measured[0].faults, 500);
    for (size_t i = 0; i < 2; ++i) expect_counts(counted[i], measured[i]);
    EXPECT_EQ(all.streams()[0].metadata.common->require.at("counters"), "1.0.0");
    expect_emulates();
}

TEST_F(CountedProgram, WithoutCountersNothingIsLoaded) {
    Finished done = run({program("ovnirun"), "-o", trace_directory(), "bash", "-c", "cat /proc/self/maps"});
    EXPECT_THAT(done.out, HasSubstr("libovni.so"));
    EXPECT_THAT(done.out, Not(HasSubstr("libovni-counters")));
    done = run({program("ovnirun"), "-o", trace_directory(), target, "plain"});
    EXPECT_EQ(done.status, 7);
    EXPECT_THAT(borders_of(trace(), 0), IsEmpty());
    EXPECT_FALSE(trace().streams()[0].metadata.common->require.contains("counters"));
}

TEST_F(CountedProgram, WherePerfIsForbiddenTheKernelsOwnCountsServe) {
    Finished done = count(three + ",cpu-migrations,alignment-faults", "refused");
    EXPECT_EQ(done.status, 7);
    EXPECT_EQ(done.err,
              "ovni: the counter cpu-migrations is left out: this machine or container forbids "
              "perf_event_open\n"
              "ovni: the counter alignment-faults is left out: this machine or container forbids "
              "perf_event_open\n");
    const std::vector<Section> measured = sections(done.out);
    const Trace all = trace();
    const std::vector<Border> counted = ends(all, 0);
    ASSERT_EQ(counted.size(), 2u);
    for (size_t i = 0; i < 2; ++i) expect_counts(counted[i], measured[i]);
    EXPECT_EQ(counted[0].deltas.size(), 3u);
    expect_emulates();
}

TEST_F(CountedProgram, IfAllCountersAreRefusedTheRunGoesOn) {
    Finished done = count("cpu-migrations", "refused");
    EXPECT_EQ(done.status, 7);
    EXPECT_THAT(done.err, HasSubstr("cpu-migrations is left out"));
    EXPECT_THAT(borders_of(trace(), 0), IsEmpty());
    EXPECT_FALSE(trace().streams()[0].metadata.common->require.contains("counters"));
    expect_emulates();
}

TEST_F(CountedProgram, EveryThreadCountsItself) {
    Finished done = count(three, "threads");
    EXPECT_EQ(done.status, 7) << done.err;
    const std::vector<Section> measured = sections(done.out);
    ASSERT_EQ(measured.size(), 3u);
    const Trace all = trace();
    ASSERT_EQ(all.streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) {
        const std::vector<Border> counted = ends(all, s);
        if (counted.size() == 1)
            expect_counts(counted[0], measured[1]);
        else if (counted.size() == 2)
            expect_counts(counted[0], measured[0]), expect_counts(counted[1], measured[2]);
        else
            ADD_FAILURE() << counted.size();
    }
}

TEST_F(CountedProgram, AForksChildCountsItself) {
    Finished done = count(three, "forks");
    EXPECT_EQ(done.status, 7) << done.err;
    const Trace all = trace();
    ASSERT_EQ(all.streams().size(), 2u);
    size_t sections = 0;
    for (uint32_t s = 0; s < 2; ++s)
        for (const Border& border : ends(all, s)) {
            ++sections;
            EXPECT_GE(border.deltas.at("page-faults"), 500);
            EXPECT_LE(border.deltas.at("page-faults"), 1000);
            EXPECT_LE(border.deltas.at("task-clock"), 100'000'000);
        }
    EXPECT_EQ(sections, 4u);
}

TEST_F(CountedProgram, ExecGoesOn) {
    Finished done = count(three, "execs");
    EXPECT_EQ(done.status, 7) << done.err;
    const Trace all = trace();
    ASSERT_EQ(all.streams().size(), 1u);
    EXPECT_EQ(ends(all, 0).size(), 3u);
    expect_emulates();
}

TEST_F(CountedProgram, SurvivesAKill) {
    Finished done = count(three, "dies");
    EXPECT_EQ(done.status, 128 + SIGKILL);
    const Trace all = trace();
    const std::vector<Border> counted = ends(all, 0);
    ASSERT_EQ(counted.size(), 2u);
    const std::vector<Section> measured = sections(done.out);
    for (size_t i = 0; i < 2; ++i) expect_counts(counted[i], measured[i]);
}

TEST_F(CountedProgram, StopsWhereTheProgramClosesAllDescriptors) {
    Finished done = count(three, "closes");
    EXPECT_EQ(done.status, 7);
    EXPECT_THAT(done.out, HasSubstr("kept\n"));
    EXPECT_THAT(done.err,
                testing::MatchesRegex("ovni: process [0-9]+ has closed the descriptors of its counters: "
                                      "threads count no more\n"));
    EXPECT_EQ(ends(trace(), 0).size(), 1u);
    expect_emulates();
}

TEST_F(CountedProgram, MemoryIsRecordedNowAndThen) {
    Finished done = count("rss", "plain");
    EXPECT_EQ(done.status, 7);
    const Trace all = trace();
    size_t samples = 0;
    for (StreamReader reader = all.reader(0, 0, ClockOrder::checked); reader.next();) {
        if (reader.event().kind != EventView::Kind::event || reader.event().code != EventCode("CRm"))
            continue;
        uint64_t use[2];
        ASSERT_EQ(reader.event().payload().size(), sizeof use);
        std::memcpy(use, reader.event().payload().data(), sizeof use);
        EXPECT_GT(use[0], 100u << 10);
        EXPECT_LT(use[0], uint64_t{16} << 30);
        EXPECT_GE(use[1], use[0]);
        ++samples;
    }
    EXPECT_GE(samples, 1u);
    expect_emulates();
}

TEST_F(CountedProgram, UnknownNamesStopBeforeTheProgram) {
    for (const auto& [list, message] : {std::pair<std::string, std::string>{"page-falts", "'page-faults'"},
                                        {"task-clock,cs,mirgations", "'migrations'"},
                                        {"-cycels", "'cycles'"}}) {
        Finished done = count(list, "plain");
        EXPECT_EQ(done.status, 2);
        EXPECT_EQ(done.out, "");
        EXPECT_THAT(done.err, HasSubstr("--counters: "));
        EXPECT_THAT(done.err, HasSubstr("did you mean " + message));
    }
    Finished done = run({program("ovnirun"), "true"}, {"OVNI_COUNTERS=page-falts"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("OVNI_COUNTERS: 'page-falts' is no counter"));
}

TEST_F(CountedProgram, ListNamesAllAndRunsNothing) {
    for (const Words& words : {Words{"--counters", "list"}, Words{"--counters=list", "false"}}) {
        Finished done = run(Words{program("ovnirun")} + words);
        EXPECT_EQ(done.status, 0);
        for (const CounterRow& row : counter_rows)
            EXPECT_THAT(done.out, HasSubstr(std::string(row.name) + " "));
        EXPECT_THAT(done.out, HasSubstr("42000502  yes"));
    }
}

}  // namespace
}  // namespace ovni::test
