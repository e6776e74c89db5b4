#include "trace/merger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "tests/support/stream_test.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

namespace {

using Clocks = std::vector<int64_t>;

class MergerTest : public ::testing::Test {
 protected:
    // Streams are named so that their order is that of the calls.
    StreamBuilder& stream() {
        std::string name = fmt::format("s{:04}", count_++);
        return trace_.thread({.tid = count_, .directory = name});
    }
    void stream(const Clocks& clocks) {
        StreamBuilder& built = stream();
        for (int64_t clock : clocks) built.event("OB.", clock);
    }
    Merger merger(ClockOrder order = ClockOrder::checked) {
        return Merger(Trace::open(trace_.write(), Metadata::version_only).readers(order));
    }
    // "<letter of the stream><clock>" of every event.
    std::string merged(ClockOrder order = ClockOrder::checked) {
        merged_.clear();
        Merger events = merger(order);
        while (const EventView* event = events.next())
            merged_ += fmt::format("{}{}{} ", static_cast<char>('A' + event->stream), event->clock,
                                   event->kind == EventView::Kind::event ? "" : "*");
        EXPECT_EQ(events.consumed(), events.size());
        return merged_;
    }
    const std::string& merged_before() const { return merged_; }
    TraceBuilder trace_;

 private:
    int count_ = 0;
    std::string merged_;
};

TEST_F(MergerTest, NoStreamsAndEmptyStreamsHaveNoEvents) {
    EXPECT_EQ(merged(), "");
    stream(Clocks{});
    EXPECT_EQ(merged(), "");
}

TEST_F(MergerTest, TiesAreBrokenByStreamThenPosition) {
    for (int i = 0; i < 3; ++i) stream({5, 5, 6});
    EXPECT_EQ(merged(), "A5 A5 B5 B5 C5 C5 A6 B6 C6 ");
}

TEST_F(MergerTest, ClocksInterleave) {
    stream({1, 7, 9});
    stream({2, 3, 8});
    EXPECT_EQ(merged(), "A1 B2 B3 A7 B8 A9 ");
}

TEST_F(MergerTest, ReadersMayComeInAnyOrder) {
    stream({1, 5});
    stream({1, 5});
    Trace trace = Trace::open(trace_.write(), Metadata::version_only);
    std::vector<StreamReader> readers = trace.readers(ClockOrder::checked);
    std::swap(readers[0], readers[1]);
    Merger events(std::move(readers));
    EXPECT_EQ(events.next()->stream, 0u);
    EXPECT_EQ(events.next()->stream, 1u);
}

TEST_F(MergerTest, TimesMayLieFarApart) {
    stream({0, INT64_C(1) << 31, INT64_C(1) << 33, INT64_MAX - 1, INT64_MAX});
    stream({1, INT64_C(1) << 32, INT64_C(1) << 62, INT64_MAX});
    EXPECT_EQ(merged(),
              "A0 B1 A2147483648 B4294967296 A8589934592 B4611686018427387904 A9223372036854775806 "
              "A9223372036854775807 B9223372036854775807 ");
}

TEST_F(MergerTest, NegativeClocksAreMergedWhereTheyAreAllowed) {
    stream({INT64_MIN, -5, INT64_MAX});
    stream({-6, 3});
    EXPECT_EQ(merged(ClockOrder::any), "A-9223372036854775808 B-6 A-5 B3 A9223372036854775807 ");
}

TEST_F(MergerTest, ADecreasedClockFollowsItsPredecessorAtOnce) {
    stream({1, 10, 5, 10, 12});
    stream({2, 10, 11});
    stream({10, 3, 20});
    EXPECT_EQ(merged(ClockOrder::any), "A1 B2 A10 A5 A10 B10 C10 C3 B11 A12 C20 ");
}

TEST_F(MergerTest, GapsAndCutsAreHandedOutInTheirPlace) {
    stream().event("OB.", 1).gap(4, 8).event("OB.", 10);
    stream({3, 6, 9});
    EXPECT_EQ(merged(), "A1 B3 A4* B6 A8* B9 A10 ");
}

TEST_F(MergerTest, DamageIsThrownAfterTheLastGoodEventOfItsStream) {
    stream().event("OB.", 1).event("OB.", 5).event("OB.", 7).truncate(1);
    stream({2, 5, 6});
    Trace trace = Trace::open(trace_.write(), Metadata::version_only);
    Merger events(trace.readers(ClockOrder::checked));
    std::string order;
    for (int i = 0; i < 3; ++i) order += std::to_string(events.next()->clock);
    EXPECT_EQ(order, "125");
    EXPECT_ERROR_AT(events.next(), 32);
    EXPECT_EQ(events.damaged_stream(), 0u);
    EXPECT_EQ(events.next()->clock, 5);
    EXPECT_EQ(events.next()->clock, 6);
    EXPECT_EQ(events.next(), nullptr);
}

TEST_F(MergerTest, DamageOfTheFirstEventIsThrownFirst) {
    stream({2, 3});
    stream().event("OB.", 100).truncate(1);
    Merger events = merger();
    EXPECT_ERROR_AT(events.next(), 8);
    EXPECT_EQ(events.damaged_stream(), 1u);
    EXPECT_EQ(events.next()->clock, 2);
}

TEST_F(MergerTest, BackwardsClockIsDamageInItsPlace) {
    stream({1, 50, 20});
    stream({2, 49, 51});
    EXPECT_ERROR_AT(merged(), 32);
    EXPECT_EQ(merged_before(), "A1 B2 B49 A50 ");
}

TEST_F(MergerTest, TheOffsetsOfEventsAreThoseInTheFile) {
    stream().event("OHx", 1, {1, 2, u64(3)}).event("OB.", 3);
    stream().event("OB.", 2);
    Merger events = merger();
    EXPECT_EQ(events.next()->offset, 8u);
    EXPECT_EQ(events.next()->offset, 8u);
    const EventView* last = events.next();
    EXPECT_EQ(last->offset, 36u);
    EXPECT_EQ(last->code, EventCode("OB."));
}

// Bytes of events have to be right however far the window had to be decoded and rewound.
class MergedBytesTest : public MergerTest, public ::testing::WithParamInterface<int> {};

TEST_P(MergedBytesTest, LargeEventsAreMergedInLittleMemory) {
    const int streams = GetParam(), events_of_one = 6000 / streams;
    for (int s = 0; s < streams; ++s) {
        StreamBuilder& built = stream();
        const std::string name(16, static_cast<char>('A' + s % 50));
        for (int i = 0; i < events_of_one; ++i) {
            const int64_t clock = i * 10 + s % 7;
            if (i % 3 == 0)
                built.event("VY=", clock, {raw(name.substr(0, 2 + static_cast<size_t>(i + s) % 15))});
            else
                built.jumbo("VYc", clock, {raw(std::string(i % 10 == s % 10 ? 40'000 : 4, name[0]))});
        }
        if (s % 5 == 4) built.truncate(1);
    }
    Trace trace = Trace::open(trace_.write(), Metadata::version_only);
    std::vector<StreamReader> readers;
    for (uint32_t s = 0; s < static_cast<uint32_t>(streams); ++s)
        readers.emplace_back(StreamSource{
            .directory = std::filesystem::path(trace.path_of(s)).parent_path(), .index = s, .block = 100});
    Merger events(std::move(readers));
    std::vector<int> counts(static_cast<size_t>(streams));
    std::vector<uint64_t> offsets(static_cast<size_t>(streams), OVNI_FORMAT_STREAM_HEADER);
    std::pair<int64_t, uint32_t> last{INT64_MIN, 0};
    auto next = [&]() -> const EventView* {
        for (;;) try {
                return events.next();
            } catch (const Error&) {
                EXPECT_EQ(events.damaged_stream() % 5, 4u);
            }
    };
    while (const EventView* event = next()) {
        std::pair<int64_t, uint32_t> now{event->clock, event->stream};
        ASSERT_LT(last, now);
        last = now;
        int number = counts[event->stream]++;
        ASSERT_EQ(event->raw_clock(), number * 10 + event->stream % 7);
        ASSERT_EQ(event->jumbo(), number % 3 != 0);
        ASSERT_EQ(event->offset, offsets[event->stream]);
        offsets[event->stream] += OVNI_FORMAT_EVENT_HEADER + event->payload().size();
        for (uint8_t byte : event->payload().subspan(event->jumbo() ? 4 : 0))
            ASSERT_EQ(byte, 'A' + event->stream % 50);
    }
    for (size_t s = 0; s < counts.size(); ++s) EXPECT_EQ(counts[s], events_of_one - (s % 5 == 4));
}

INSTANTIATE_TEST_SUITE_P(Streams, MergedBytesTest, ::testing::Values(20, 127, 128, 200));

struct Expected {
    int64_t clock;
    int stream;
};

constexpr int groups_of_streams = 3;

// The events that share their clock with an event of another stream of their group.
uint64_t ties_among(const std::vector<Expected>& events) {
    uint64_t ties = 0;
    for (size_t begin = 0, end = 0; begin < events.size(); begin = end) {
        std::array<std::set<int>, groups_of_streams> streams;
        std::array<uint64_t, groups_of_streams> counts{};
        for (end = begin; end < events.size() && events[end].clock == events[begin].clock; ++end) {
            const auto group = static_cast<size_t>(events[end].stream % groups_of_streams);
            streams[group].insert(events[end].stream);
            ++counts[group];
        }
        for (size_t group = 0; group < streams.size(); ++group)
            if (streams[group].size() > 1) ties += counts[group];
    }
    return ties;
}

// Against a stable sort of everything: densities from many events in one ns to one in many seconds, so that
// windows are cut, grow, and shrink.
class MergerOrderTest : public MergerTest, public ::testing::WithParamInterface<std::tuple<int, int64_t>> {};

TEST_P(MergerOrderTest, EventsComeInTheOrderOfAStableSort) {
    auto [streams, step] = GetParam();
    std::mt19937_64 random(7);
    std::vector<Expected> expected;
    for (int s = 0; s < streams; ++s) {
        Clocks clocks;
        int64_t clock = 0;
        int events = 200'000 / streams;
        for (int i = 0; i < events; ++i) {
            int64_t burst = i / 1000 % 3 == 0 ? step / 1000 : step;
            clock += burst > 0 ? static_cast<int64_t>(random() % static_cast<uint64_t>(burst)) : 0;
            clocks.push_back(clock);
            expected.push_back({clock, s});
        }
        stream(clocks);
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Expected& a, const Expected& b) { return a.clock < b.clock; });
    Merger events = merger();
    std::vector<uint32_t> groups;
    for (int s = 0; s < streams; ++s) groups.push_back(static_cast<uint32_t>(s % groups_of_streams));
    events.count_ties(groups);
    for (const Expected& want : expected) {
        const EventView* event = events.next();
        ASSERT_TRUE(event);
        ASSERT_EQ(event->clock, want.clock);
        ASSERT_EQ(event->stream, static_cast<uint32_t>(want.stream));
    }
    EXPECT_EQ(events.next(), nullptr);
    EXPECT_EQ(events.ties(), ties_among(expected));
}

INSTANTIATE_TEST_SUITE_P(Densities, MergerOrderTest,
                         ::testing::Combine(::testing::Values(1, 3, 100, 130),
                                            ::testing::Values(0, 2, 1000, INT64_C(5'000'000),
                                                              INT64_C(10'000'000'000))));

}  // namespace

}  // namespace ovni::test
