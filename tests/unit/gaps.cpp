#include "trace/gaps.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "tests/support/stream_test.hpp"
#include "trace/stream_files.hpp"

namespace ovni::test {

namespace {

class GapsTest : public StreamTest {
 protected:
    void build_events() { build().event("OB.", 10).event("OB.", 20).event("OB.", 30); }
};

TEST_F(GapsTest, BeginsBeforeTheEventAtItsOffsetAndEndsBeforeTheFirstLaterEvent) {
    build().event("OB.", 10).gap(12, 18, 7).event("OB.", 20);
    EXPECT_EQ(read_all(), "8 10 OB. 0\n20 12 gap 7\n20 18 end 7\n20 20 OB. 0\n");
}

TEST_F(GapsTest, EventsOfTheLifeCycleLieInside) {
    build().event("OB.", 10).gap(12, 30).event("OHp", 15).event("OHr", 29).event("OB.", 30);
    EXPECT_EQ(read_all(), "8 10 OB. 0\n20 12 gap 0\n20 15 OHp 0\n32 29 OHr 0\n44 30 end 0\n44 30 OB. 0\n");
}

TEST_F(GapsTest, AGapWithoutAnEndLastsToTheEndOfTheStream) {
    build().event("OB.", 10).gap(12, std::nullopt, 3).event("OHe", 100);
    EXPECT_EQ(read_all(), "8 10 OB. 0\n20 12 gap 3\n20 100 OHe 0\n");
}

TEST_F(GapsTest, NothingNeedsToFollowAGap) {
    build().event("OB.", 10).gap(12, 14, 3);
    EXPECT_EQ(read_all(), "8 10 OB. 0\n20 12 gap 3\n");
}

TEST_F(GapsTest, AGapMayComeBeforeAllEvents) {
    build().gap(3, 5, 2).event("OB.", 10);
    EXPECT_EQ(read_all(), "8 3 gap 2\n8 5 end 2\n8 10 OB. 0\n");
}

TEST_F(GapsTest, TwoGapsMayFollowEachOther) {
    build().event("OB.", 10).gap(12, 14, 1).gap(15, 17, 2).event("OB.", 20);
    EXPECT_EQ(read_all(), "8 10 OB. 0\n20 12 gap 1\n20 14 end 1\n20 15 gap 2\n20 17 end 2\n20 20 OB. 0\n");
}

TEST_F(GapsTest, ClocksAreCorrectedAndNeverDecrease) {
    build().event("OB.", 10).gap(8, 9, 1).event("OB.", 20);
    EXPECT_EQ(read_all(ClockOrder::checked, 5), "8 15 OB. 0\n20 15 gap 1\n20 15 end 1\n20 25 OB. 0\n");
}

TEST_F(GapsTest, ABeginningBehindItsEventIsDrawnBack) {
    build().event("OB.", 10).gap(25, 28, 1).event("OB.", 20).event("OB.", 30);
    EXPECT_EQ(read_all(), "8 10 OB. 0\n20 20 gap 1\n20 20 OB. 0\n32 28 end 1\n32 30 OB. 0\n");
}

TEST_F(GapsTest, ACutFollowsTheLastGap) {
    build().event("OB.", 10).gap(12, std::nullopt).write(directory());
    StreamReader events({.directory = directory(), .ended_by_force = true});
    ASSERT_TRUE(events.next() && events.next() && events.next());
    EXPECT_EQ(events.event().kind, EventView::Kind::cut);
    EXPECT_EQ(events.event().clock, 12);
}

TEST_F(GapsTest, TheReasonIsThere) {
    build().event("OB.", 10).gap(12, 14, 3, "limit").write(directory());
    std::vector<Gap> gaps = read_gaps(directory());
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(gaps[0].reason, "limit");
    EXPECT_EQ(gaps[0].lost, 3u);
}

TEST_F(GapsTest, WrittenGapsReadTheSame) {
    build().event("OB.", 10).gap(12, 14, 3, "limit").gap(15, std::nullopt).write(directory());
    std::vector<Gap> gaps = read_gaps(directory());
    write_gaps(directory(), gaps);
    std::vector<Gap> again = read_gaps(directory());
    ASSERT_EQ(again.size(), 2u);
    EXPECT_EQ(again[0].to, 14);
    EXPECT_EQ(again[1].to, INT64_MAX);
    EXPECT_EQ(again[1].offset, gaps[1].offset);
}

TEST_F(GapsTest, AnEmptyFileIsAWarning) {
    build().event("OB.", 10).gaps_text("");
    EXPECT_EQ(read_all(), "8 10 OB. 0\n");
}

// 100 million events may have as many gaps. What is no list of gaps is refused before it fills the memory.
TEST_F(GapsTest, ALongListBelongsToALongStream) {
    const std::string blanks(largest_whole_file + 4096, ' ');
    build().event("OB.", 10).gaps_text(R"({"gaps": [)" + blanks + "]}").write(directory());
    EXPECT_ERROR(read_gaps(directory()), "at most");
    std::filesystem::resize_file(directory() / events_name, 4096);
    EXPECT_TRUE(read_gaps(directory()).empty());
}

struct Damaged {
    const char* text;
    const char* cause;
};
class DamagedGapsTest : public GapsTest, public ::testing::WithParamInterface<Damaged> {};

TEST_P(DamagedGapsTest, TheErrorNamesTheFileAndTheCause) {
    build_events();
    build().gaps_text(GetParam().text);
    EXPECT_ERROR(read_all(), GetParam().cause);
    EXPECT_ERROR(read_all(), "stream.gaps.json");
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedGapsTest,
    ::testing::Values(Damaged{"{\"gaps\": [", "JSON"}, Damaged{"[]", "no array"}, Damaged{"{}", "no array"},
                      Damaged{R"({"gaps": 3})", "no array"}, Damaged{R"({"gaps": [3]})", "not an object"},
                      Damaged{R"({"gaps": [{"from": 1}]})", "no offset"},
                      Damaged{R"({"gaps": [{"offset": -8, "from": 1}]})", "no offset"},
                      Damaged{R"({"gaps": [{"offset": 8}]})", "no clock"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": "1"}]})", "not an integer"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 1.5}]})", "not an integer"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 1, "to": "x"}]})", "not an integer"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 1, "lost": -1}]})", "lost events"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 1, "reason": 1}]})", "reason"},
                      Damaged{R"({"gaps": [{"offset": 7, "from": 1}]})", "inside the header"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 5, "to": 4}]})", "ends before it begins"},
                      Damaged{R"({"gaps": [{"offset": 20, "from": 1, "to": 2}, {"offset": 8, "from": 3}]})",
                              "below that of its predecessor"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 1, "to": 5}, {"offset": 20, "from": 3}]})",
                              "before its predecessor has ended"},
                      Damaged{R"({"gaps": [{"offset": 8, "from": 1}, {"offset": 20, "from": 30}]})",
                              "before its predecessor has ended"},
                      Damaged{R"({"gaps": [{"offset": 9, "from": 1}]})", "not at the beginning of an event"},
                      Damaged{R"({"gaps": [{"offset": 45, "from": 1}]})", "behind the end"},
                      Damaged{R"({"gaps": [{"offset": 18446744073709551615, "from": 1}]})",
                              "behind the end"}));

}  // namespace

}  // namespace ovni::test
