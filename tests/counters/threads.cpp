// Threads of programs without MPI, which emit nothing themselves: their sums, against what they measure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "tests/counters/counted.hpp"
#include "tests/support/asan_options.hpp"
#include "tests/support/own_shared_memory.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class CountedThreads : public testing::Test {
 protected:
    // Page faults by thread, as the program measured them.
    std::map<int, int64_t> count(const std::string& way, const Words& options = {}) {
        const Words words =
            Words{program("ovnirun"), "-o",      trace_directory(), "--counters", "page-faults,task-clock",
                  "--threads",        "program", "--pthread",       "contended"} +
            options + Words{BUILD_DIR "/tests/counted_threads_target", way};
        const Finished done = run(words, {"ASAN_OPTIONS=" + asan_options});
        EXPECT_EQ(done.status, 0);
        EXPECT_EQ(done.err, "");
        std::map<int, int64_t> measured;
        std::istringstream in(done.out);
        int tid = 0;
        for (int64_t faults = 0; in >> tid >> faults;) measured[tid] = faults;
        EXPECT_EQ(measured.size(), 3u);
        return measured;
    }
    std::string trace_directory() const { return directory_.path() / "ovni"; }
    Json report() const {
        const std::string file = directory_.path() / "report.json";
        const Finished done = run({program("ovniemu"), "-l", "--report", file, trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
        return Json::parse(read_file(file));
    }

 private:
    TemporaryDirectory directory_;
};

class CountedThreadsAtEnd : public CountedThreads, public testing::WithParamInterface<const char*> {};

TEST_P(CountedThreadsAtEnd, EachThreadHasItsSum) {
    constexpr int64_t of_tracer = 300;
    const std::map<int, int64_t> measured = count(GetParam());
    const Json all = report();
    std::map<int, Json> counted;
    for (const Json& thread : all["processes"][0]["counters"]["threads"])
        counted[thread["tid"].get<int>()] = thread;
    int64_t sum = 0, in_process = 0;
    for (const auto& [tid, faults] : measured) {
        ASSERT_TRUE(counted.contains(tid)) << tid;
        const int64_t of_thread = counted[tid]["counts"]["page-faults"].get<int64_t>();
        EXPECT_GE(faults, 400);
        EXPECT_GE(of_thread, faults);
        // The main thread loads the program as well, which takes its own number of pages.
        if (tid != counted.begin()->first) {
            EXPECT_LE(of_thread, faults + of_tracer);
        }
        EXPECT_GT(counted[tid]["ns"].get<int64_t>(), 0);
        EXPECT_LE(counted[tid]["ns"].get<int64_t>(), all["trace"]["duration"].get<int64_t>());
        EXPECT_GT(counted[tid]["counts"]["task-clock"].get<int64_t>(), 0);
        sum += of_thread;
    }
    for (const Json& function : all["total"]["counters"]["functions"])
        in_process += function["counts"]["page-faults"].get<int64_t>();
    EXPECT_EQ(in_process, sum);
    EXPECT_FALSE(all["total"]["counters"].contains("threads"));
}

INSTANTIATE_TEST_SUITE_P(Ends, CountedThreadsAtEnd, testing::Values("return", "_exit", "exec", "pool"));

TEST_F(CountedThreads, TopPrintsCountsByThread) {
    const std::map<int, int64_t> measured = count("return");
    const Finished top = run({program("ovnitop"), "--counters", trace_directory()});
    EXPECT_EQ(top.status, 0) << top.err;
    for (const auto& [tid, faults] : measured)
        EXPECT_THAT(top.out, HasSubstr(" thread " + std::to_string(tid) + " "));
    EXPECT_THAT(top.out, HasSubstr(" wait: thread "));
}

TEST_F(CountedThreads, AStreamRequiresTheVersionThatTellsWhenCountingBegan) {
    count("return");
    const Trace trace = Trace::open(trace_directory());
    ASSERT_EQ(trace.streams().size(), 3u);
    for (uint32_t s = 0; s < 3; ++s) {
        EXPECT_EQ(trace.streams()[s].metadata.common->require.at("counters"), "1.1.0");
        const std::vector<Border> borders = borders_of(trace, s);
        ASSERT_FALSE(borders.empty());
        EXPECT_EQ(borders.back().event, "OHe");
    }
}

// A child that becomes another program has no row, and counters are no reason for one.
TEST_F(CountedThreads, CommandsOfAScriptHaveNoRows) {
    const Finished done =
        run({program("ovnirun"), "-o", trace_directory(), "--counters", "page-faults", "--threads", "program",
             "bash", "-c", "true; /bin/true; (exec /bin/true); exit 3"});
    EXPECT_EQ(done.status, 3) << done.err;
    EXPECT_EQ(Trace::open(trace_directory()).streams().size(), 1u);
}

}  // namespace
}  // namespace ovni::test
