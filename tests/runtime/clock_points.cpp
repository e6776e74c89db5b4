// The points of a measurement of clocks in stream.json: exact numbers, whatever becomes of the process.
#include <climits>
#include <csignal>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/ours.hpp"

namespace ovni::test {
namespace {

using ClockPointTest = RuntimeTest;

constexpr ovni_private_clock_point first{INT64_MAX - 1,  -INT64_MAX,      INT64_MIN, -INT64_MAX + 2,
                                         (1L << 53) + 1, (1UL << 53) + 3, "envelope"};
constexpr ovni_private_clock_point second{INT64_MAX, 5, -6, 7, 8, 0, "reference"};
constexpr const char* both_points =
    R"({"reference":"node0","points":[)"
    R"({"local":9223372036854775806,"offset":-9223372036854775807,"low":-9223372036854775808,)"
    R"("high":-9223372036854775805,"round_trip":9007199254740993,"samples":9007199254740995,)"
    R"("method":"envelope"},)"
    R"({"local":9223372036854775807,"offset":5,"low":-6,"high":7,"round_trip":8,"samples":0,)"
    R"("method":"reference"}]})";

void measure() {
    ovni_private_add_clock_point("node0", &first);
    ovni_private_add_clock_point("node0", &second);
}

TEST_F(ClockPointTest, NumbersAreExact) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        measure();
        ovni_private_close_all(nullptr, 0);
    });
    EXPECT_EQ(stream().json["ovni"]["clock"].dump(), both_points);
}

TEST_F(ClockPointTest, PointsOutliveTheProcess) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        measure();
        ::raise(SIGKILL);
    });
    EXPECT_EQ(status(), 128 + SIGKILL);
    EXPECT_EQ(recover().status, 0);
    EXPECT_EQ(stream().json["ovni"]["clock"].dump(), both_points);
}

TEST_F(ClockPointTest, TheProgramMayTakeTheStreamOver) {
    run_traced([] {
        ovni_private_thread_open();
        emit("MUi");
        measure();
        start(own_tid());
        put_begin(ovni_clock_now());
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(stream().json["ovni"]["clock"].dump(), both_points);
}

TEST_F(ClockPointTest, PointsWithoutAStreamAreDropped) {
    run_traced([] {
        measure();
        ovni_private_thread_open();
        emit("MUi");
        ovni_private_add_clock_point(nullptr, &first);
        ovni_private_add_clock_point("node0", nullptr);
        ovni_private_close_all(nullptr, 0);
        measure();
    });
    EXPECT_FALSE(stream().json["ovni"].contains("clock"));
}

}  // namespace
}  // namespace ovni::test
