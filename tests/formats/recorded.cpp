// Formats of traces of real jobs.
#include "tests/formats/formats.hpp"
#include "tests/mpi/ending_jobs.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;

class RecordedFormat : public JobEnds, public testing::WithParamInterface<Format> {
 protected:
    RecordedFormat() { std::filesystem::current_path(path("")); }
    void SetUp() override {
        if (const std::string missing = what_is_missing(GetParam()); !missing.empty())
            GTEST_SKIP() << missing;
    }
    // Emulates the trace, alone and on 1 to 4 ranks. Returns what the checker counts.
    std::string emulated() {
        const Format& format = GetParam();
        const std::string alone = path(format.file);
        Finished done = run({program("ovniemu"), format.option(), alone, trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
        for (int ranks = 1; ranks <= 4; ++ranks) {
            const std::string out = path("out" + std::to_string(ranks));
            ::setenv("OVNI_TEST_WINDOW", std::to_string(ranks * 100).c_str(), 1);
            done = mpirun(ranks, {program("ovniemu-mpi"), format.option(), out + "/" + format.file, "-o", out,
                                  trace_directory()});
            EXPECT_EQ(done.status, 0) << done.err;
            expect_equal_bytes(alone, out + "/" + format.file);
        }
        return checked(format, alone, trace_directory());
    }
};

TEST_P(RecordedFormat, OfFourRanks) {
    ASSERT_EQ(traced(4, {app("heat"), "100", "100", "20"}).status, 0);
    const std::string counts = emulated();
    EXPECT_THAT(counts, HasSubstr(" messages=120 "));
    EXPECT_THAT(counts, HasSubstr(GetParam().has_collectives ? " collectives=84 " : " "));
}

TEST_P(RecordedFormat, OfEveryKindOfMessage) {
    ASSERT_EQ(traced(4, {app("known_messages"), "0"}, {"--loom", "rank"}).status, 0);
    EXPECT_THAT(emulated(), testing::ContainsRegex(" messages=[1-9][0-9][0-9]"));
}

TEST_P(RecordedFormat, OfPausesAndCounters) {
    ASSERT_EQ(
        traced(4, {app("known_messages"), "1"}, {"--loom", "rank", "--counters", "page-faults,rss"}).status,
        0);
    EXPECT_THAT(emulated(), testing::ContainsRegex(" messages=[1-9][0-9]"));
}

INSTANTIATE_TEST_SUITE_P(Formats, RecordedFormat, testing::ValuesIn(formats), name_of_case);

}  // namespace
}  // namespace ovni::test
