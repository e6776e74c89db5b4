// Counters at the borders of calls and regions, in jobs.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/counters/counted.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Counters : public TracedTest {
 protected:
    struct Faults {
        long between = 0, in_region = 0;
    };
    Finished count(const std::string& list, const Words& options = {}) {
        Finished done = traced(2, {app("counted")},
                               Words{"--cpu", "virtual", "--callsites", "0", "--counters", list} + options);
        std::istringstream in(done.out);
        int rank = 0;
        for (Faults faults; in >> rank >> faults.between >> faults.in_region;) faults_[rank] = faults;
        return done;
    }
    std::string text(const std::string& file) const {
        std::ifstream in(file);
        std::stringstream all;
        all << in.rdbuf();
        return all.str();
    }

    std::map<int, Faults> faults_;
};

constexpr long of_tracer = 300;  // page faults

TEST_F(Counters, BelongToWhatTheRankWasIn) {
    Finished done = count("page-faults,task-clock");
    ASSERT_EQ(done.status, 0) << done.err;
    ASSERT_EQ(faults_.size(), 2u);
    const Trace all = trace();
    ASSERT_EQ(all.streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) {
        const Faults& measured = faults_.at(all.streams()[s].metadata.process->rank.value_or(-1));
        EXPECT_GE(measured.between, 400);
        std::vector<Border> barriers, regions;
        for (const Border& border : borders_of(all, s)) {
            if (border.event == "MCb") barriers.push_back(border);
            if (border.event == "OM]") regions.push_back(border);
        }
        // The third barrier is not recorded, and nothing of the pause counts.
        ASSERT_EQ(barriers.size(), 3u);
        EXPECT_GE(barriers[1].deltas.at("page-faults"), measured.between);
        EXPECT_LE(barriers[1].deltas.at("page-faults"), measured.between + of_tracer);
        EXPECT_GT(barriers[1].deltas.at("task-clock"), 0);
        EXPECT_LT(barriers[2].deltas.at("page-faults"), of_tracer);
        ASSERT_EQ(regions.size(), 1u);
        EXPECT_GE(regions[0].deltas.at("page-faults"), measured.in_region);
        EXPECT_LE(regions[0].deltas.at("page-faults"), measured.in_region + of_tracer);
    }
}

TEST_F(Counters, EveryEnterAndLeaveIsABorder) {
    ASSERT_EQ(count("page-faults", {"--threads", "program"}).status, 0);
    const Trace all = trace();
    for (uint32_t s = 0; s < 2; ++s) {
        size_t events = 0;
        for (const Mark& mark : events_of(all, s)) events += mark.code[0] == 'M' && !is_detail(mark.code);
        size_t borders = 0;
        for (const Border& border : borders_of(all, s)) borders += border.event[0] == 'M';
        EXPECT_EQ(borders, events);
    }
}

// Before the first border, the begin of MPI_Init, nothing is known.
TEST_F(Counters, BeginAtTheFirstCallOfAThreadWithoutARow) {
    ASSERT_EQ(count("page-faults", {"--threads", "mpi"}).status, 0);
    const Trace all = trace();
    for (uint32_t s = 0; s < 2; ++s) {
        EXPECT_EQ(borders_of(all, s).front().event, "MUI");
        EXPECT_EQ(all.streams()[s].metadata.common->require.at("counters"), "1.1.0") << "behind the pause";
    }
}

TEST_F(Counters, AnyNumberOfRanksWritesTheSameLines) {
    ASSERT_EQ(count("page-faults,task-clock,rss").status, 0);
    expect_emulates({"-l"});
    const std::string alone = text(trace_directory() + "/thread.prv");
    EXPECT_THAT(alone, HasSubstr(":42000502:"));
    EXPECT_THAT(alone, HasSubstr(":42000500:"));
    EXPECT_THAT(alone, HasSubstr(":48000000:"));
    EXPECT_THAT(text(trace_directory() + "/thread.pcf"), HasSubstr("0 42000502   page-faults\n"));
    const std::string cpus = text(trace_directory() + "/cpu.prv");
    Finished two = mpirun(2, {program("ovniemu-mpi"), "-l", trace_directory()});
    ASSERT_EQ(two.status, 0) << two.err;
    EXPECT_EQ(text(trace_directory() + "/thread.prv"), alone);
    EXPECT_EQ(text(trace_directory() + "/cpu.prv"), cpus);
}

TEST_F(Counters, WhatTheMachineLacksIsNamedOncePerJob) {
    Finished done = count("r1,page-faults");
    EXPECT_EQ(done.status, 0);
    if (done.err.empty()) GTEST_SKIP() << "this machine counts events of the processor";
    EXPECT_EQ(done.err, "ovni: the counter r1 is left out: this machine does not count it\n");
    EXPECT_EQ(faults_.size(), 2u);
    EXPECT_EQ(trace().streams()[0].metadata.common->counters, std::vector<std::string>{"page-faults"});
}

TEST_F(Counters, ReferenceEventsHaveNoCounters) {
    Finished done = traced(2, {app("counted")}, {"--mpi-events", "reference", "--counters", "page-faults"});
    ASSERT_EQ(done.status, 0) << done.err;
    const Trace all = trace();
    for (uint32_t s = 0; s < 2; ++s) EXPECT_TRUE(borders_of(all, s).empty());
}

}  // namespace
}  // namespace ovni::test
