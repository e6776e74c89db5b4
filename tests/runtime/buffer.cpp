// From the buffer to the file: sizes, flushes, threads.
#include <unistd.h>

#include <thread>

#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using BufferTest = RuntimeTest;

TEST_F(BufferTest, MoreThanTheBufferHoldsIsWrittenWithoutMarkers) {
    constexpr int count = 400000;  // 4.8 MB
    run_traced([] {
        start();
        for (int i = 0; i < count; ++i) put("OB.", static_cast<uint64_t>(i));
        stop();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.events.size(), static_cast<size_t>(count));
    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(recorded.events[i].clock, i);
}

TEST_F(BufferTest, EventsOfMixedSizesStayWhole) {
    run_traced([] {
        start();
        for (int i = 0; i < 100000; ++i) {
            auto clock = static_cast<uint64_t>(i);
            put("aaa", clock);
            put("bbb", clock, static_cast<int16_t>(i));
            put("ccc", clock, clock, clock);
            if (i % 1000) continue;
            std::vector<uint8_t> data(static_cast<size_t>(i) / 2, 'j');
            ovni_ev jumbo = event("ddd", clock);
            ovni_ev_jumbo_emit(&jumbo, data.data(), static_cast<uint32_t>(data.size()));
        }
        stop();
    });
    EXPECT_EQ(stream().events.size(), 300100u);
    EXPECT_TRUE(stream().clocks_never_decrease());
}

TEST_F(BufferTest, LargestJumboEventFits) {
    constexpr uint32_t size = OVNI_MAX_EV_BUF - 17;
    run_traced([] {
        start();
        put("OB.", 1);
        std::vector<uint8_t> data(size, 7);
        ovni_ev jumbo = event("VYc", 2);
        ovni_ev_jumbo_emit(&jumbo, data.data(), size);
        put("OB.", 3);
        stop();
    });
    EXPECT_EQ(codes(), "OB. VYc OB.");
    EXPECT_EQ(stream().events[1].payload.size(), size + 4);
}

TEST_F(BufferTest, FlushPairIsThereOnlyOnceAnEventFollows) {
    run_traced([this] {
        start();
        put("OB.", ovni_clock_now());
        ovni_flush();
        EXPECT_EQ(codes(), "OB.");
        put("OU[", ovni_clock_now());
        put("OU]", ovni_clock_now());
        ovni_flush();
        stop();
        ::exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OB. OF[ OF] OU[ OU]");
    EXPECT_TRUE(recorded.clocks_never_decrease());
}

TEST_F(BufferTest, FlushPairIsFollowedByAnotherOrAMark) {
    run_traced([] {
        start();
        ovni_flush();
        ovni_flush();
        ovni_mark_set(1, 1);
        ovni_flush();
        uint8_t byte = 0;
        ovni_ev jumbo = event("VYc", ovni_clock_now());
        ovni_ev_jumbo_emit(&jumbo, &byte, 1);
        stop();
    });
    EXPECT_EQ(codes(), "OF[ OF] OF[ OF] OM= OF[ OF] VYc");
}

TEST_F(BufferTest, EveryThreadHasItsStream) {
    constexpr int threads = 4, count = 50000;
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        std::vector<std::thread> team;
        for (int t = 0; t < threads; ++t)
            team.emplace_back([t] {
                ovni_thread_init(100 + t);
                ovni_thread_require("nosv", "2.0.0");
                for (int i = 0; i < count; ++i) put("OB.", static_cast<uint64_t>(i), t);
                ovni_thread_free();
            });
        for (std::thread& thread : team) thread.join();
        ovni_proc_fini();
    });
    ASSERT_EQ(streams().size(), static_cast<size_t>(threads));
    for (int t = 0; t < threads; ++t) {
        const RecordedStream recorded = streams()[static_cast<size_t>(t)];
        ASSERT_EQ(recorded.events.size(), static_cast<size_t>(count));
        EXPECT_EQ(recorded.json["ovni"]["tid"], 100 + t);
        for (const RecordedEvent& event : recorded.events) ASSERT_EQ(event.argument<int>(0), t);
        EXPECT_TRUE(recorded.clocks_never_decrease());
    }
}

TEST_F(BufferTest, AnotherThreadWritesOutWhatIsThere) {
    constexpr int count = 400000;
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        std::atomic<bool> done{false};
        std::thread flusher([&done] {
            while (!done) ovni_private_flush_all();
        });
        std::thread emitter([] {
            ovni_thread_init(1);
            for (int i = 0; i < count; ++i) {
                put("OB.", static_cast<uint64_t>(i));
                if (i % 50000 == 0) ovni_flush();
            }
            ovni_thread_free();
        });
        emitter.join();
        done = true;
        flusher.join();
    });
    RecordedStream recorded = stream();
    uint64_t next = 0;
    for (const RecordedEvent& event : recorded.events) {
        if (event.code != "OB.") continue;
        ASSERT_EQ(event.clock, next++);
    }
    EXPECT_EQ(next, static_cast<uint64_t>(count));
    EXPECT_EQ(recorded.events.size(), static_cast<size_t>(count) + 2 * 8);
}

}  // namespace
}  // namespace ovni::test
