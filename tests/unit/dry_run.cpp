// Streams that change after they were found good, and looms in which too much is refused.
#include "session/salvage/dry_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "session/salvage/salvaged_trace.hpp"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DryRunTest : public ::testing::Test {
 protected:
    void SetUp() override {
        for (int tid : {1, 2}) {
            StreamBuilder& stream =
                trace_.thread({.loom = "a", .tid = tid, .directory = std::to_string(tid)});
            stream.starts(10, -1);
            for (int i = 0; i < 100'000; ++i) stream.event("OB.", 20 + i);
            stream.ends(200'000);
        }
        directory_ = trace_.write();
    }
    Trace good_trace() { return salvaged_trace(directory_, list_streams(directory_), {}, damages_); }

    TraceBuilder trace_;
    fs::path directory_;
    std::vector<Damage> damages_;
};

TEST_F(DryRunTest, AStreamThatVanishesHasNoEvents) {
    Trace trace = good_trace();
    fs::remove(directory_ / "1/stream.obs");
    salvage_events(trace, {}, damages_);
    ASSERT_EQ(damages_.size(), 1u);
    EXPECT_EQ(damages_[0].relative_path, "1");
    EXPECT_EQ(damages_[0].end, 8u);
    EXPECT_THAT(damages_[0].cause, HasSubstr("1/stream.obs: cannot open"));
    EXPECT_FALSE(trace.streams()[0].is_readable());
}

TEST_F(DryRunTest, AStreamThatBecomesShorterEndsThere) {
    Trace trace = good_trace();
    fs::resize_file(directory_ / "2/stream.obs", 300'001);
    salvage_events(trace, {}, damages_);
    ASSERT_EQ(damages_.size(), 1u);
    EXPECT_EQ(damages_[0].relative_path, "2");
    EXPECT_EQ(trace.streams()[1].bytes, damages_[0].end);
    EXPECT_GT(trace.streams()[1].bytes, 299'980u);
    EXPECT_LE(trace.streams()[1].bytes, 300'001u);
}

// The refusals are made up: real ones need events of others that are refused in turn.
TEST_F(DryRunTest, ALoomWithTooManyRefusedEventsHasNone) {
    Trace trace = good_trace();
    DryRun run(trace, {});
    uint64_t end = trace.streams()[1].bytes;
    for (int pass = 0; pass < 32; ++pass) run.apply({{{1, end -= 12, "refused"}}, {0}});
    EXPECT_FALSE(run.is_done());
    EXPECT_EQ(trace.streams()[1].bytes, end);
    EXPECT_FALSE(trace.streams()[0].is_cut);
    run.apply({{{1, end - 12, "refused"}}, {0}});
    EXPECT_TRUE(run.is_done());
    run.finish(damages_);
    ASSERT_EQ(damages_.size(), 2u);
    for (const Damage& damage : damages_) {
        EXPECT_EQ(damage.end, 8u);
        EXPECT_EQ(damage.cause, "loom a has too many events that are refused");
    }
}

}  // namespace
}  // namespace ovni::test
