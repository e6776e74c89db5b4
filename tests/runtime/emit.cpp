// Inline emission (ovni/emit.hpp).
#include "ovni/emit.hpp"

#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using EmitTest = RuntimeTest;

TEST_F(EmitTest, EventsWithoutAStreamAreDropped) {
    run_traced([] {
        emit("OB.");
        emit_at("OHx", 1, int32_t{0});
        start();
        ovni_thread_free();
        emit("OB.");
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "");
}

TEST_F(EmitTest, ArgumentsArePackedInOrder) {
    struct Pair {
        uint16_t a, b;
    };
    run_traced([] {
        start();
        emit_at("aaa", 1);
        emit_at("bbb", 2, uint16_t{0x0102});
        emit_at("ccc", 3, uint8_t{1}, uint64_t{2}, int32_t{-3}, true);
        emit_at("ddd", 4, Pair{5, 6}, 1.5, 'x');
        stop();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.codes(), "aaa bbb ccc ddd");
    EXPECT_EQ(recorded.bytes.substr(20, 14), std::string("\1bbb\2\0\0\0\0\0\0\0\2\1", 14));
    EXPECT_EQ(recorded.events[2].payload.size(), 14u);
    EXPECT_EQ(recorded.events[2].argument<uint64_t>(1), 2u);
    EXPECT_EQ(recorded.events[2].argument<int32_t>(9), -3);
    EXPECT_EQ(recorded.events[3].argument<uint16_t>(2), 6);
    EXPECT_EQ(recorded.events[3].argument<double>(4), 1.5);
}

TEST_F(EmitTest, MixesWithTheCApiInOrder) {
    constexpr uint64_t count = 100000;
    run_traced([] {
        start();
        for (uint64_t i = 0; i < count; ++i) {
            emit_at("OB.", 2 * i, i);
            put("OU[", 2 * i + 1);
        }
        stop();
    });
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.events.size(), 2 * count);
    for (uint64_t i = 0; i < 2 * count; ++i) ASSERT_EQ(recorded.events[i].clock, i);
}

TEST_F(EmitTest, TakesTheClockOfTheLibrary) {
    run_traced([] {
        start();
        uint64_t before = ovni_clock_now();
        emit("OB.");
        emit_at("OB.", now());
        put("OB.", ovni_clock_now());
        ovni_attr_set_json("before", std::to_string(before).c_str());
        stop();
    });
    RecordedStream recorded = stream();
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_LE(recorded.json["before"].get<double>(), static_cast<double>(recorded.events[0].clock));
}

TEST_F(EmitTest, AFlushIsFollowedByItsPair) {
    run_traced([] {
        start();
        ovni_flush();
        emit("OB.");
        stop();
    });
    EXPECT_EQ(codes(), "OF[ OF] OB.");
}

}  // namespace
}  // namespace ovni::test
