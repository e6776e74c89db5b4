#include "trace/region_sort.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

class RegionSortTest : public StreamTest {
 protected:
    // Events as "clock:code" words.
    void events(const std::string& text) {
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            size_t colon = word.find(':');
            // The payload tells events of equal clock and code apart.
            build().event(EventCode::from_chars(word.c_str() + colon + 1), std::stoll(word),
                          {raw(word + "........")});
        }
        build().write(directory());
    }
    std::string now() {
        std::string text;
        StreamReader reader({.directory = directory(), .order = ClockOrder::any});
        for (; reader.next();) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event)
                text += event.kind == EventView::Kind::gap_begin ? "<" : "> ";
            else
                text += fmt::format("{}:{} ", event.clock, event.code.text().data());
        }
        return text;
    }
};

TEST_F(RegionSortTest, ARegionMovesToWhereItBelongs) {
    events("10:OHx 20:OB. 30:OB. 40:OU[ 22:6C[ 25:6C] 41:OU] 50:OHe");
    SortedRegions result = sort_regions(directory());
    EXPECT_EQ(now(), "10:OHx 20:OB. 22:6C[ 25:6C] 30:OB. 40:OU[ 41:OU] 50:OHe ");
    EXPECT_EQ(result.sorted, 1u);
    EXPECT_EQ(result.file, SortedRegions::File::rewritten);
}

TEST_F(RegionSortTest, EqualClocksKeepTheirOrder) {
    events("10:OHx 20:OB. 40:OU[ 20:6C[ 20:6Ma 41:OU] 50:OHe");
    sort_regions(directory());
    EXPECT_EQ(now(), "10:OHx 20:OB. 20:6C[ 20:6Ma 40:OU[ 41:OU] 50:OHe ");
}

TEST_F(RegionSortTest, ARegionOlderThanEverythingMovesToTheBeginning) {
    events("40:OU[ 12:6C[ 11:6C] 41:OU] 50:OHe");
    sort_regions(directory());
    EXPECT_EQ(now(), "11:6C] 12:6C[ 40:OU[ 41:OU] 50:OHe ");
}

TEST_F(RegionSortTest, TooFarBackIsAnErrorAndChangesNothing) {
    events("10:OHx 20:OB. 30:OB. 35:OB. 40:OU[ 12:6C[ 41:OU] 50:OHe");
    std::string before = now();
    EXPECT_ERROR(sort_regions(directory(), 3), "larger -n");
    EXPECT_EQ(now(), before);
    EXPECT_ERROR(sort_regions(directory(), 1), "larger -n");
    sort_regions(directory(), 7);
    EXPECT_EQ(now(), "10:OHx 12:6C[ 20:OB. 30:OB. 35:OB. 40:OU[ 41:OU] 50:OHe ");
}

TEST_F(RegionSortTest, EventsMayHaveAnySize) {
    build().event("OHx", 10, {1, 2, u64(3)}).event("OB.", 20).jumbo("VYc", 30, {u32(1), "a label"});
    build()
        .event("OU[", 40)
        .jumbo("VYc", 15, {u32(2), "another label"})
        .event("6C[", 16, {1})
        .event("OU]", 41);
    build().write(directory());
    sort_regions(directory());
    StreamReader reader({.directory = directory()});
    std::string sizes;
    while (reader.next())
        sizes += fmt::format("{}:{} ", reader.event().clock, reader.event().payload().size());
    EXPECT_EQ(sizes, "10:16 15:22 16:4 20:0 30:16 40:0 41:0 ");
}

TEST_F(RegionSortTest, SeveralRegionsSeeWhatWasSortedBefore) {
    events("10:OHx 30:OB. 40:OU[ 20:6C[ 41:OU] 50:OU[ 15:6C[ 25:6C] 51:OU] 60:OHe");
    EXPECT_EQ(sort_regions(directory()).sorted, 2u);
    EXPECT_EQ(now(), "10:OHx 15:6C[ 20:6C[ 25:6C] 30:OB. 40:OU[ 41:OU] 50:OU[ 51:OU] 60:OHe ");
}

TEST_F(RegionSortTest, EmptyRegionsAreCounted) {
    events("10:OHx 20:OU[ 21:OU] 30:OU[ 31:OU] 50:OHe");
    SortedRegions result = sort_regions(directory());
    EXPECT_EQ(result.empty, 2u);
    EXPECT_EQ(result.file, SortedRegions::File::as_it_was);
}

TEST_F(RegionSortTest, MarkersOutOfTurnAreOrdinaryEvents) {
    events("10:OU] 20:OB. 40:OU[ 40:OU[ 15:6C[ 41:OU] 50:OU]");
    sort_regions(directory());
    EXPECT_EQ(now(), "10:OU] 15:6C[ 20:OB. 40:OU[ 40:OU[ 41:OU] 50:OU] ");
}

TEST_F(RegionSortTest, ARegionWithoutEndStays) {
    events("10:OHx 20:OB. 40:OU[ 15:6C[ 41:OHe");
    sort_regions(directory());
    EXPECT_EQ(now(), "10:OHx 20:OB. 40:OU[ 15:6C[ 41:OHe ");
}

TEST_F(RegionSortTest, ASortedRegionNeedsNoPermissionToWrite) {
    events("10:OHx 20:OU[ 21:6C[ 22:OU] 50:OHe");
    ::chmod((directory() / "stream.obs").c_str(), 0400);
    EXPECT_EQ(sort_regions(directory()).file, SortedRegions::File::as_it_was);
}

TEST_F(RegionSortTest, GapsMoveAlong) {
    build()
        .event("OB.", 10)
        .gap(12, 30)
        .event("OB.", 35, {1, 2})
        .event("OU[", 40)
        .event("6C[", 11)
        .event("6C]", 31);
    build().event("OU]", 41).write(directory());
    sort_regions(directory());
    EXPECT_EQ(now(), "10:OB. 11:6C[ <> 31:6C] 35:OB. 40:OU[ 41:OU] ");
}

TEST_F(RegionSortTest, DamageIsAnError) {
    events("10:OHx 20:OU[ 21:6C[ 22:OU]");
    build().truncate(1).write(directory());
    EXPECT_ERROR(sort_regions(directory()), "incomplete");
}

TEST_F(RegionSortTest, DisorderIsReportedPairByPair) {
    events("10:OHx 20:OB. 15:OB. 30:OB. 29:OHe");
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(report_disorder(directory()), 2u);
    std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("from 20 to 15"), std::string::npos);
    EXPECT_NE(text.find("from 30 to 29"), std::string::npos);
}

}  // namespace

}  // namespace ovni::test
