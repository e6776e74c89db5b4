// Reading with regions sorted against ovnisort's sorting followed by plain reading.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/stream_test.hpp"
#include "trace/merger.hpp"
#include "trace/region_sort.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

struct Read {
    std::string events;  // without offsets
    std::string error;   // its cause
};

std::string event_text(const EventView& event) {
    if (event.kind == EventView::Kind::gap_begin) return fmt::format("{} gap\n", event.clock);
    if (event.kind != EventView::Kind::event) return fmt::format("{} end\n", event.clock);
    std::span<const uint8_t> payload = event.payload();
    return fmt::format("{} {} {}\n", event.clock, event.code.text().data(),
                       std::string(payload.begin(), payload.end()));
}

// Regions of all kinds: short and long, deep into the past, overlapping, without an end, in order, with
// markers out of turn; gaps; events of all sizes.
void random_regions(StreamBuilder& stream, uint32_t seed) {
    std::mt19937 random(seed);
    auto pick = [&](int64_t below) { return static_cast<int64_t>(random() % static_cast<uint64_t>(below)); };
    int64_t clock = 1000, number = 0, last_gap = 0;
    auto event = [&](int64_t at) {
        std::string payload = fmt::format("{:04}", number++);
        if (pick(9) == 0)
            stream.jumbo("VYc", at, {raw(payload + std::string(static_cast<size_t>(pick(200)), '.'))});
        else
            stream.event("OB.", at, {raw(payload + std::string(static_cast<size_t>(pick(12)), '-'))});
    };
    int64_t depth = 1 + pick(300), order = pick(3);
    for (int i = 0; i < 400; ++i) {
        int64_t what = pick(40);
        if (what == 0 && clock > last_gap) {
            stream.gap(clock, clock + 5);
            last_gap = clock += 5;
        }
        if (what == 1) stream.event("OU]", clock);
        if (what < 4) {
            stream.event("OU[", clock);
            int64_t oldest = std::max<int64_t>(clock - pick(depth), 0);
            for (int64_t n = pick(20); n > 0; --n) event(order == 0 ? oldest++ : oldest + pick(depth));
            if (order != 2 || pick(5) > 0) stream.event("OU]", clock = std::max(clock, oldest + depth));
        }
        event(clock += pick(4));
    }
}

class SortedReadingTest : public ::testing::TestWithParam<uint32_t> {
 protected:
    static Read read(StreamReader reader) {
        Read result;
        try {
            while (reader.next()) result.events += event_text(reader.event());
        } catch (const Error& e) {
            result.error = e.cause;
        }
        return result;
    }
    StreamSource source(size_t block = largest_block) const {
        return {.directory = directory_.path(), .clock = 5, .block = block};
    }
    StreamSource sorted_source(size_t block) const {
        StreamSource result = source(block);
        result.sort = plan_regions(directory_.path(), block);
        return result;
    }
    const fs::path& path() const { return directory_.path(); }

 private:
    TemporaryDirectory directory_;
};

TEST_P(SortedReadingTest, EventsAreReadAsFromASortedFile) {
    StreamBuilder stream{Identity{}};
    random_regions(stream, GetParam());
    if (GetParam() % 4 == 0) stream.truncate(1);
    stream.write(path());
    std::vector<Read> results;
    for (size_t block : {size_t{64}, size_t{1000}, largest_block})
        results.push_back(read(StreamReader(sorted_source(block))));
    EXPECT_EQ(read_file(path() / "stream.obs"), stream.bytes());
    try {
        sort_regions(path());
    } catch (const Error&) {
        EXPECT_EQ(GetParam() % 4, 0u);
    }
    Read expected = read(StreamReader(source()));
    for (const Read& result : results) {
        EXPECT_EQ(result.events, expected.events);
        EXPECT_EQ(result.error, expected.error);
    }
}

TEST_P(SortedReadingTest, OffsetsAreThoseInTheFile) {
    StreamBuilder stream{Identity{}};
    random_regions(stream, GetParam());
    stream.write(path());
    const std::string& file = stream.bytes();
    try {
        for (StreamReader reader(sorted_source(100)); reader.next();) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event) continue;
            size_t size = 12 + event.payload().size();
            ASSERT_EQ(file.substr(event.offset, size),
                      std::string(reinterpret_cast<const char*>(event.bytes), size));
        }
    } catch (const Error& e) {
        ASSERT_TRUE(e.offset);
        EXPECT_EQ(file.substr(*e.offset + 1, 3).find_first_not_of("VYcOB.U[]"), std::string::npos);
    }
}

// Through the merger, whose windows hold many events and are decoded again where they are too large.
TEST_P(SortedReadingTest, EventsAreMergedAsFromSortedFiles) {
    constexpr uint32_t streams = 20;
    TraceBuilder trace;
    for (uint32_t s = 0; s < streams; ++s)
        random_regions(trace.thread({.tid = static_cast<int>(s) + 1}), GetParam() * streams + s);
    Trace opened = Trace::open(trace.write(), Metadata::version_only);
    auto merge = [&](Regions regions) {
        std::vector<StreamReader> readers;
        for (uint32_t s = 0; s < streams; ++s)
            readers.push_back(opened.reader(s, 0, ClockOrder::checked, regions));
        Merger merger(std::move(readers));
        std::string text;
        for (bool more = true; more;) {
            try {
                const EventView* event = merger.next();
                more = event != nullptr;
                if (more) text += fmt::format("{} {}", event->stream, event_text(*event));
            } catch (const Error& e) {
                text += fmt::format("{} {}\n", merger.damaged_stream(), e.cause);
            }
        }
        return text;
    };
    std::string sorted = merge(Regions::sorted);
    for (uint32_t s = 0; s < streams; ++s) sort_regions(fs::path(opened.path_of(s)).parent_path());
    EXPECT_EQ(sorted, merge(Regions::as_they_are));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SortedReadingTest, ::testing::Range(0u, 40u));

using SortedReadingErrors = StreamTest;

TEST_F(SortedReadingErrors, TooFarBackIsTheErrorOfSorting) {
    for (int i = 0; i < 10; ++i) build().event("OB.", 20 + i);
    build().event("OU[", 40).event("6C[", 12).event("OU]", 41).write(directory());
    constexpr uint64_t look_back = 5;
    std::string said;
    try {
        sort_regions(directory(), look_back);
    } catch (const Error& e) {
        said = e.what();
    }
    EXPECT_NE(said, "");
    EXPECT_ERROR(plan_regions(directory(), largest_block, look_back), said);
}

TEST_F(SortedReadingErrors, StreamsWithoutDisorderHaveNothingToSort) {
    build().event("OU[", 20).event("6C[", 21).event("OU]", 22).event("OU[", 23).event("OU]", 24);
    build().write(directory());
    RegionPlan plan = plan_regions(directory(), largest_block);
    EXPECT_EQ(plan.ranges.size(), 0u);
    EXPECT_EQ(plan.empty, 1u);
}

// Events behind the range of a region are not held in memory for it.
TEST_F(SortedReadingErrors, RegionsThatFollowEachOtherAreRangesOfTheirOwn) {
    for (int i = 0; i < 100; ++i)
        build()
            .event("OB.", i * 10 + 1)
            .event("OU[", i * 10 + 9)
            .event("6C[", i * 10 + 5)
            .event("OU]", i * 10 + 9);
    build().write(directory());
    RegionPlan plan = plan_regions(directory(), largest_block);
    EXPECT_EQ(plan.ranges.size(), 100u);
    for (const ByteRange& range : plan.ranges) EXPECT_EQ(range.end - range.begin, 36u);
}

TEST_F(SortedReadingErrors, ALateRegionTakesThePlaceOfThoseItReachesOver) {
    build().event("OB.", 10).event("OB.", 30).event("OU[", 40).event("6C[", 20).event("OU]", 41);
    build().event("OU[", 50).event("6C[", 15).event("OU]", 51).write(directory());
    RegionPlan plan = plan_regions(directory(), largest_block);
    EXPECT_EQ(plan.ranges, (std::vector<ByteRange>{{8, 8 + 7 * 12}}));
}

TEST_F(SortedReadingErrors, AStreamThatChangedSinceItWasPlannedIsAnError) {
    for (int i = 0; i < 10; ++i) build().event("OB.", 20 + i);
    build().event("OU[", 40).event("6C[", 22).event("OU]", 41).write(directory());
    StreamSource source{.directory = directory()};
    source.sort = plan_regions(directory(), largest_block);
    source.sort->ranges.front().end -= 1;
    StreamReader cut(source);
    auto read = [&] {
        while (cut.next()) {
        }
        return 0;
    };
    EXPECT_ERROR(read(), "changed");
}

}  // namespace

}  // namespace ovni::test
