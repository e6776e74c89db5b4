// Counters of threads that compute in OpenMP alone, against what the program measures itself.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

using Json = nlohmann::json;

constexpr int64_t of_tracer = 300;  // page faults at the borders of a thread, which rings and labels need

class OpenMpCounters : public OpenMpTest {
 protected:
    // Page faults by thread, as the program measured them.
    std::map<int, int64_t> count(const Words& options = {}) {
        const Finished done = traced_openmp(1, {openmp_program("touches")},
                                            Words{"--counters", "page-faults,task-clock"} + options);
        EXPECT_EQ(done.status, 0) << done.err;
        std::map<int, int64_t> measured;
        std::istringstream in(done.out);
        int tid = 0;
        for (int64_t faults = 0; in >> tid >> faults;) measured[tid] = faults;
        EXPECT_EQ(measured.size(), 3u);
        return measured;
    }
    Json counters_in_report() const {
        expect_emulates({"-l", "-b", "--report", path("report.json")});
        return Json::parse(read_file(path("report.json")))["processes"][0]["counters"];
    }
    static int64_t faults_of(const Json& entry) { return entry["counts"]["page-faults"].get<int64_t>(); }
};

TEST_P(OpenMpCounters, EveryThreadOfATeamIsCounted) {
    const std::map<int, int64_t> measured = count();
    std::map<int, int64_t> counted;
    const Json counters = counters_in_report();
    for (const Json& thread : counters["threads"]) {
        counted[thread["tid"].get<int>()] = faults_of(thread);
        EXPECT_GT(thread["ns"].get<int64_t>(), 0);
    }
    for (const auto& [tid, faults] : measured) {
        EXPECT_GE(faults, 600);
        EXPECT_GE(counted[tid], faults);
    }
}

TEST_P(OpenMpCounters, ARegionHasWhatItsThreadsUsedInIt) {
    int64_t measured = 0;
    for (const auto& [tid, faults] : count()) measured += faults;
    int64_t in_regions = 0, outside = -1;
    const Json counters = counters_in_report();
    for (const Json& construct : counters["constructs"]) {
        if (construct["construct"] == "parallel region") {
            EXPECT_THAT(construct["label"].get<std::string>(), testing::HasSubstr("main"));
            in_regions += faults_of(construct);
        }
        if (construct["construct"].is_null()) outside = faults_of(construct);
    }
    EXPECT_GE(in_regions, measured);
    EXPECT_LE(in_regions, measured + 3 * of_tracer);
    EXPECT_GE(outside, 0);
    EXPECT_LT(outside, measured);
}

TEST_P(OpenMpCounters, ThreadsWithoutRowsAreCountedFromTheirFirstRegionOn) {
    const std::map<int, int64_t> measured = count({"--threads", "mpi"});
    int64_t all = 0, counted = 0;
    for (const auto& [tid, faults] : measured) all += faults;
    const Json counters = counters_in_report();
    for (const Json& construct : counters["constructs"])
        if (construct["construct"] == "parallel region") counted += faults_of(construct);
    EXPECT_GE(counted, all - 3 * of_tracer) << "the counters of a thread are opened in its first region";
    EXPECT_LE(counted, all + 3 * of_tracer);
}

TEST_P(OpenMpCounters, TopNamesRegionsAndThreads) {
    const std::map<int, int64_t> measured = count();
    const Finished top = run({program("ovnitop"), "--counters", trace_directory()});
    EXPECT_EQ(top.status, 0) << top.err;
    EXPECT_THAT(top.out, testing::HasSubstr(" parallel region main"));
    for (const auto& [tid, faults] : measured)
        EXPECT_THAT(top.out, testing::HasSubstr(" thread " + std::to_string(tid) + " "));
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpCounters,
                         ::testing::Values(Runtime::libgomp, Runtime::libomp_for_gcc, Runtime::libomp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
