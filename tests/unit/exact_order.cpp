// The exact order of equal clocks, against the reference's heap written out literally.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/stream_test.hpp"
#include "trace/merger.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

namespace {

using Clocks = std::vector<int64_t>;
using Streams = std::vector<Clocks>;

class LiteralHeap {
 public:
    void insert(int64_t key, size_t stream) {
        nodes_.emplace_back(key, stream);
        for (size_t at = nodes_.size(); at > 1 && key_of(at) < key_of(at / 2); at /= 2)
            std::swap(nodes_[at - 1], nodes_[at / 2 - 1]);
    }
    size_t extract() {
        size_t first = nodes_.front().second;
        nodes_.front() = nodes_.back();
        nodes_.pop_back();
        for (size_t at = 1;;) {
            size_t least = at;
            for (size_t child : {2 * at, 2 * at + 1})
                if (child <= nodes_.size() && key_of(child) < key_of(least)) least = child;
            if (least == at) return first;
            std::swap(nodes_[at - 1], nodes_[least - 1]);
            at = least;
        }
    }
    bool empty() const { return nodes_.empty(); }

 private:
    int64_t key_of(size_t at) const { return nodes_[at - 1].first; }
    std::vector<std::pair<int64_t, size_t>> nodes_;
};

// Streams in the order in which their events are played.
std::vector<size_t> played(const Streams& streams) {
    LiteralHeap heap;
    std::vector<size_t> next(streams.size()), order;
    auto step = [&](size_t s) {
        if (next[s] < streams[s].size()) heap.insert(streams[s][next[s]++], s);
    };
    for (size_t s = 0; s < streams.size(); ++s) step(s);
    while (!heap.empty()) {
        order.push_back(heap.extract());
        step(order.back());
    }
    return order;
}

Streams random_streams(std::mt19937_64& random, size_t streams, size_t events, int64_t step) {
    Streams all(streams);
    for (Clocks& clocks : all) {
        int64_t clock = static_cast<int64_t>(random() % static_cast<uint64_t>(step));
        for (size_t left = random() % (events + 1); left > 0; --left) {
            clocks.push_back(clock);
            clock += static_cast<int64_t>(random() % static_cast<uint64_t>(step));
        }
    }
    return all;
}

class ExactTrace {
 public:
    ExactTrace() = default;
    explicit ExactTrace(const Streams& streams) {
        for (const Clocks& clocks : streams) stream(clocks);
    }
    StreamBuilder& stream(const Clocks& clocks = {}) {
        std::string name = fmt::format("s{:04}", count_++);
        StreamBuilder& built = trace_.thread({.tid = count_, .directory = name});
        for (int64_t clock : clocks) built.event("OB.", clock);
        return built;
    }
    std::vector<StreamReader> readers() {
        return Trace::open(trace_.write(), Metadata::version_only).readers(ClockOrder::checked);
    }
    // "<letter of the stream><clock>" of every event, with a * where it is of another kind.
    std::string merged() {
        merged_.clear();
        Merger events(readers(), EventOrder::exact);
        while (const EventView* event = events.next())
            merged_ += fmt::format("{}{}{} ", static_cast<char>('A' + event->stream), event->clock,
                                   event->kind == EventView::Kind::event ? "" : "*");
        return merged_;
    }
    const std::string& merged_before() const { return merged_; }

 private:
    TraceBuilder trace_;
    int count_ = 0;
    std::string merged_;
};

void expect_played(const Streams& streams) {
    ExactTrace trace(streams);
    Merger events(trace.readers(), EventOrder::exact);
    int64_t before = -1;
    uint32_t order = 0;
    for (size_t want : played(streams)) {
        const EventView* event = events.next();
        ASSERT_TRUE(event);
        ASSERT_EQ(event->stream, want) << "at clock " << event->clock;
        ASSERT_EQ(event->raw_clock(), event->clock);
        order = event->clock == before ? order + 1 : Merger::first_place;
        ASSERT_EQ(event->order, order);
        before = event->clock;
    }
    EXPECT_EQ(events.next(), nullptr);
}

std::string letters(const Streams& streams) {
    std::string text;
    for (size_t stream : played(streams)) text += static_cast<char>('A' + stream);
    return text;
}

TEST(LiteralHeapTest, PlaysTheKnownExamples) {
    EXPECT_EQ(letters({{5, 6}, {5, 6}, {5, 6}}), "ACBCBA");
    EXPECT_EQ(letters({{5, 5}, {5, 5}, {5, 5}}), "ACACBB");
    EXPECT_EQ(letters({{5}, {5}, {5}, {5}}), "ADCB");
    EXPECT_EQ(letters({{1, 5}, {2, 5}, {3, 5}, {4, 5}}), "ABCDCDAB");
    EXPECT_EQ(letters({{1, 5}, {1, 5}}), "ABAB");
}

TEST(ExactOrderTest, NoStreamAndOneStreamStayInOrder) {
    EXPECT_EQ(ExactTrace().merged(), "");
    EXPECT_EQ(ExactTrace({{}, {3, 3, 4}}).merged(), "B3 B3 B4 ");
}

TEST(ExactOrderTest, KnownExamplesAreInTheOrderOfTheReference) {
    EXPECT_EQ(ExactTrace({{5, 6}, {5, 6}, {5, 6}}).merged(), "A5 C5 B5 C6 B6 A6 ");
    EXPECT_EQ(ExactTrace({{1, 5}, {2, 5}, {3, 5}, {4, 5}}).merged(), "A1 B2 C3 D4 C5 D5 A5 B5 ");
}

// The heap alone, with the clocks in windows of one ns and more.
TEST(HeapReplayTest, PlaysTheLiteralHeapForAnyWindow) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 3000; ++round) {
        Streams streams = random_streams(random, 1 + random() % 12, 1 + random() % 30,
                                         1 + static_cast<int64_t>(random() % 6));
        HeapReplay replay(streams.size());
        std::vector<size_t> next(streams.size()), order;
        int64_t width = static_cast<int64_t>(random() % 9);
        for (int64_t start = 0; start < 300; start += width + 1) {
            Clocks following;
            for (const Clocks& clocks : streams) {
                auto after = std::ranges::upper_bound(clocks, start + width);
                following.push_back(after == clocks.end() ? ClockRuns::no_clock : *after);
            }
            std::vector<uint32_t> after = HeapReplay::times_after(following);
            auto time_of = [&](uint32_t s) {
                bool inside = next[s] < streams[s].size() && streams[s][next[s]] <= start + width;
                return inside ? static_cast<uint32_t>(streams[s][next[s]] - start) : after[s];
            };
            replay.replay(time_of, [&](uint32_t s) {
                order.push_back(s);
                ++next[s];
                return time_of(s);
            });
        }
        ASSERT_EQ(order, played(streams)) << "round " << round;
    }
}

// The places that find_ties() finds, in canonical order of the events.
TEST(HeapReplayTest, TiesAreThePlacesInTheirGroup) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 500; ++round) {
        Streams streams =
            random_streams(random, 1 + random() % 9, 20, 1 + static_cast<int64_t>(random() % 4));
        ClockRuns runs;
        for (const Clocks& clocks : streams) {
            runs.counts.push_back(static_cast<uint32_t>(clocks.size()));
            runs.times.insert(runs.times.end(), clocks.begin(), clocks.end());
            runs.next.push_back(ClockRuns::no_clock);
        }
        Ties ties;
        HeapReplay(streams.size()).find_ties(runs, ties);
        std::vector<size_t> order = played(streams);
        std::vector<size_t> next(streams.size());
        std::vector<std::pair<int64_t, std::vector<size_t>>> groups;
        for (size_t s : order) {
            int64_t clock = streams[s][next[s]++];
            if (groups.empty() || groups.back().first != clock) groups.push_back({clock, {}});
            groups.back().second.push_back(s);
        }
        for (const auto& [clock, members] : groups) {
            std::vector<uint32_t> expected;
            for (size_t s = 0; s < streams.size() && members.size() > 1; ++s)
                for (size_t place = 0; place < members.size(); ++place)
                    if (members[place] == s) expected.push_back(static_cast<uint32_t>(place));
            const auto found = ties.at(clock);
            ASSERT_EQ(std::vector<uint32_t>(found.begin(), found.end()), expected);
        }
    }
}

TEST(ExactOrderTest, RandomTracesAreInTheOrderOfTheHeap) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 60; ++round)
        expect_played(random_streams(random, random() % 40, 30, 1 + static_cast<int64_t>(random() % 6)));
}

// Longer than a window, from all events at one clock to clocks far apart; few streams, and so many that their
// events are copied.
TEST(ExactOrderTest, TracesOfManyWindowsAreInTheOrderOfTheHeap) {
    std::mt19937_64 random(6);
    for (size_t streams : {20, 150})
        for (int64_t step : {INT64_C(1), INT64_C(2), INT64_C(100), INT64_C(30'000'000'000)})
            expect_played(random_streams(random, streams, 160'000 / streams, step));
}

TEST(ExactOrderTest, TracesWithoutTiesAreInCanonicalOrder) {
    ExactTrace trace;
    for (int s = 0; s < 7; ++s) {
        StreamBuilder& stream = trace.stream();
        for (int i = 0; i < 100; ++i) {
            stream.event("OB.", 70 * i + s);
            if (i % 10 == s) stream.gap(70 * i + s + 8, 70 * i + s + 16);
        }
    }
    Merger exact(trace.readers(), EventOrder::exact), canonical(trace.readers());
    while (const EventView* event = canonical.next()) {
        const EventView* same = exact.next();
        ASSERT_TRUE(same);
        ASSERT_EQ(std::tie(same->stream, same->clock, same->kind),
                  std::tie(event->stream, event->clock, event->kind));
    }
    EXPECT_EQ(exact.next(), nullptr);
}

TEST(ExactOrderTest, GapsDoNotChangeTheOrderOfEvents) {
    Streams streams = {{1, 5, 5, 9}, {1, 5, 9, 9}, {5, 5, 9}, {1, 9}};
    std::string plain = ExactTrace(streams).merged();
    ExactTrace trace;
    trace.stream().event("OB.", 1).event("OB.", 5).gap(5, 5).event("OB.", 5).gap(6, 8).event("OB.", 9);
    trace.stream().gap(0, 1).event("OB.", 1).gap(2, 5).event("OB.", 5).event("OB.", 9).event("OB.", 9);
    trace.stream(streams[2]);
    trace.stream().event("OB.", 1).gap(5, 9).event("OB.", 9);
    std::string order = trace.merged(), events;
    for (size_t at = 0; at < order.size();) {
        size_t end = order.find(' ', at) + 1;
        if (order[end - 2] != '*') events += order.substr(at, end - at);
        at = end;
    }
    EXPECT_EQ(events, plain);
    // An item at a clock of its own comes before the events of that clock, the rest behind its event.
    EXPECT_EQ(order, "B0* B1* A1 D1 B1 B2* B5* D5* A5 A5* A5* B5 A5 C5 C5 A6* A8* D9* D9 C9 B9 A9 B9 ");
}

TEST(ExactOrderTest, DamageFollowsItsStreamsLastGoodEventAtOnce) {
    Streams streams = {{5, 5, 7}, {5, 5}, {5, 5}};
    ExactTrace trace;
    trace.stream(streams[0]);
    trace.stream().event("OB.", 5).event("OB.", 5).truncate(1);
    trace.stream(streams[2]);
    EXPECT_ERROR_AT(trace.merged(), 20);
    // Played: A C A C B B.
    EXPECT_EQ(trace.merged_before(), "A5 C5 A5 C5 B5 ");
    Merger events(trace.readers(), EventOrder::exact);
    for (int i = 0; i < 5; ++i) events.next();
    EXPECT_THROW(events.next(), Error);
    EXPECT_EQ(events.damaged_stream(), 1u);
    EXPECT_EQ(events.damaged_clock(), 5);
    EXPECT_EQ(events.damaged_order(), Merger::first_place + 4);
    EXPECT_EQ(events.next()->clock, 7);
    EXPECT_EQ(events.next(), nullptr);
}

TEST(ExactOrderTest, DamageAtTheBeginningComesFirst) {
    ExactTrace trace;
    trace.stream({2, 3});
    trace.stream().event("OB.", 100).truncate(1);
    trace.stream({2, 3});
    Merger events(trace.readers(), EventOrder::exact);
    EXPECT_ERROR_AT(events.next(), 8);
    std::string order;
    while (const EventView* event = events.next()) order += std::to_string(event->stream);
    EXPECT_EQ(order, "0202");
}

TEST(TiesTest, TiesAreCountedInGroupsOfStreams) {
    ExactTrace trace({{1, 5, 5, 7}, {5, 6, 9}, {5, 7, 7, 9}, {8, 8}});
    for (EventOrder order : {EventOrder::canonical, EventOrder::exact}) {
        Merger events(trace.readers(), order);
        events.count_ties({0, 0, 1, 1});
        while (events.next()) {
        }
        EXPECT_EQ(events.ties(), 3u);
        Merger together(trace.readers(), order);
        together.count_ties({0, 0, 0, 0});
        while (together.next()) {
        }
        EXPECT_EQ(together.ties(), 4u + 3 + 2);
    }
}

}  // namespace

}  // namespace ovni::test
