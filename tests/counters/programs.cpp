// Programs that are counted, by the real perf_event_open. They measure themselves inside of the borders and
// around them; what is counted lies between, however slow the machine is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <map>
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

struct Use {
    int64_t faults = 0, clock = 0, switches = 0;
};
struct Section {
    Use inside, around;
};
// Those of each thread, in the order in which they ended.
using Sections = std::map<int, std::vector<Section>>;

std::istream& operator>>(std::istream& in, Use& use) {
    return in >> use.faults >> use.clock >> use.switches;
}

class CountedProgram : public testing::Test {
 protected:
    Finished count(const std::string& list, const std::string& mode) {
        return run(Words{program("ovnirun"), "-o", trace_directory(), "--counters", list, target, mode},
                   {"ASAN_OPTIONS=" + asan_options});
    }
    std::string trace_directory() const { return directory_.path() / "ovni"; }
    Trace trace() const { return Trace::open(trace_directory()); }
    // The sections as they measured themselves.
    static Sections sections(const std::string& out) {
        Sections all;
        std::istringstream in(out);
        Section section;
        for (int tid = 0; in >> tid >> section.inside >> section.around;) all[tid].push_back(section);
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
        for (const auto& [name, use] : {std::pair{"page-faults", &Use::faults},
                                        {"task-clock", &Use::clock},
                                        {"context-switches", &Use::switches}}) {
            EXPECT_GE(counted.deltas.at(name), measured.inside.*use) << name;
            EXPECT_LE(counted.deltas.at(name), measured.around.*use) << name;
        }
    }
    // The threads with so many sections each have counted all of them.
    static void expect_counts(const Trace& trace, Sections measured, const std::vector<size_t>& numbers) {
        std::vector<size_t> found;
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            const std::vector<Border> counted = ends(trace, s);
            const std::vector<Section>& own = measured[trace.streams()[s].metadata.tid];
            ASSERT_EQ(counted.size(), own.size());
            for (size_t i = 0; i < own.size(); ++i) expect_counts(counted[i], own[i]);
            found.push_back(own.size());
        }
        EXPECT_THAT(found, testing::UnorderedElementsAreArray(numbers));
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
    const Sections measured = sections(done.out);
    const Trace all = trace();
    ASSERT_EQ(measured.size(), 1u);
    EXPECT_GE(measured.begin()->second[0].inside.faults, 500);
    expect_counts(all, measured, {2});
    EXPECT_EQ(all.streams()[0].metadata.common->require.at("counters"), "1.0.0");
    expect_emulates();
}

TEST_F(CountedProgram, NothingIsLoadedIfNoCounterIsWanted) {
    Finished done = run({program("ovnirun"), "-o", trace_directory(), "bash", "-c", "cat /proc/self/maps"});
    EXPECT_THAT(done.out, HasSubstr("libovni.so"));
    EXPECT_THAT(done.out, Not(HasSubstr("libovni-counters")));
    done = run({program("ovnirun"), "-o", trace_directory(), target, "plain"});
    EXPECT_EQ(done.status, 7);
    EXPECT_THAT(borders_of(trace(), 0), IsEmpty());
    EXPECT_FALSE(trace().streams()[0].metadata.common->require.contains("counters"));
}

TEST_F(CountedProgram, KernelCountsServeWherePerfIsForbidden) {
    Finished done = count(three + ",cpu-migrations,alignment-faults", "refused");
    EXPECT_EQ(done.status, 7);
    EXPECT_EQ(done.err,
              "ovni: the counter cpu-migrations is left out: this machine or container forbids "
              "perf_event_open\n"
              "ovni: the counter alignment-faults is left out: this machine or container forbids "
              "perf_event_open\n");
    const Trace all = trace();
    expect_counts(all, sections(done.out), {2});
    EXPECT_EQ(ends(all, 0).at(0).deltas.size(), 3u);
    expect_emulates();
}

TEST_F(CountedProgram, LargeCountsAreThoseOfTheirCounters) {
    Finished done = count("cpu-clock,minor-faults,major-faults," + three, "large");
    EXPECT_EQ(done.status, 7) << done.err;
    const Sections measured = sections(done.out);
    ASSERT_EQ(measured.size(), 1u);
    EXPECT_GT(measured.begin()->second[0].inside.switches, int64_t{UINT32_MAX});
    const Trace all = trace();
    expect_counts(all, measured, {2});
    EXPECT_EQ(ends(all, 0).at(0).deltas.size(), 6u);
    expect_emulates();
}

TEST_F(CountedProgram, TheRunGoesOnIfAllCountersAreRefused) {
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
    expect_counts(trace(), sections(done.out), {1, 2});
}

TEST_F(CountedProgram, AForksChildCountsItself) {
    Finished done = count(three, "forks");
    EXPECT_EQ(done.status, 7) << done.err;
    expect_counts(trace(), sections(done.out), {1, 3});
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
    expect_counts(trace(), sections(done.out), {2});
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
