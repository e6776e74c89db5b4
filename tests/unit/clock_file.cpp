#include "trace/clock_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/stream_test.hpp"
#include "trace/clock_sources.hpp"

namespace ovni::test {

namespace {

ClockMeasurement measured(int64_t local, int64_t offset, int64_t bound) {
    return {{local, offset}, offset - bound, offset + bound, 2 * bound, 100, "envelope"};
}

std::string one_node(const std::string& segments) {
    return R"({"version": 1, "reference": "a", "nodes": [{"host": "a", "segments": [)" + segments + "]}]}";
}
std::string segment(int64_t local, int64_t offset) {
    return R"({"local": )" + std::to_string(local) + R"(, "offset": )" + std::to_string(offset) +
           R"(, "low": -1000, "high": 1000, "round_trip": 20, "samples": 1, "method": "envelope"})";
}

TEST(ClockFileTest, WhatIsWrittenIsReadAgain) {
    ClockFile file{"a",
                   {{"a", {measured(5, 0, 0)}},
                    {"b", {measured(1'000'000'000, -7, 6000), measured(3'000'000'000, 93, 5000)}, -9}}};
    std::string text = clock_file_text(file);
    EXPECT_NE(text.find(R"("rate_ppb": 50.0)"), std::string::npos) << text;
    ClockFile read = parse_clock_file(text, "clocks.json");
    EXPECT_EQ(clock_file_text(read), text);
    ASSERT_EQ(read.nodes.size(), 2u);
    EXPECT_EQ(read.reference, "a");
    EXPECT_EQ(read.nodes[1].bound(), 6000);
    EXPECT_EQ(read.nodes[0].time_offset, 0);
    EXPECT_EQ(read.nodes[1].time_offset, -9);
    EXPECT_EQ(read.nodes[1].line().corrected(2'000'000'000), 2'000'000'043);
    EXPECT_TRUE(read.nodes[0].line().is_constant());
}

TEST(ClockFileTest, OneMeasurementIsAConstant) {
    ClockFile file = parse_clock_file(one_node(segment(1000, 9)), "x");
    EXPECT_EQ(file.nodes[0].line().corrected(0), 9);
    EXPECT_TRUE(file.nodes[0].line().is_constant());
}

// The line goes on at a rate that is known, from points that are far enough from each other.
TEST(ClockFileTest, ShortIntervalsSayNothingOfTheRate) {
    constexpr int64_t second = 1'000'000'000;
    NodeClock close{"b", {measured(0, 0, 6000), measured(second / 10, 900, 6000)}};
    EXPECT_EQ(close.line().corrected(second / 20), second / 20 + 450);
    EXPECT_EQ(close.line().corrected(-second), -second);
    EXPECT_EQ(close.line().corrected(2 * second), 2 * second + 900);
    NodeClock far{"b",
                  {measured(0, 0, 6000), measured(second / 10, 900, 6000),
                   measured(9 * second + second / 10, 9100, 6000), measured(10 * second, 10000, 6000)}};
    EXPECT_EQ(far.line().corrected(20 * second), 20 * second + 10000 + 9191);
    EXPECT_EQ(far.line().corrected(-91 * second), -91 * second - 91001);  // rounded down
}

TEST(ClockSourcesTest, AGiantFileIsRefused) {
    TemporaryDirectory directory;
    for (const char* name : {clock_file_name, clock_table_name}) {
        std::filesystem::path file = directory.path() / name;
        std::ofstream(file) << "{}";
        std::filesystem::resize_file(file, uintmax_t{1} << 40);
        EXPECT_ERROR(ClockSources::find(std::nullopt, {directory.path()}), "at most 67108864 are read");
        EXPECT_ERROR(ClockSources::find(file.string(), {}), "at most 67108864 are read");
        std::filesystem::remove(file);
    }
}

struct WrongFile {
    std::string text;
    const char* cause;
};
class WrongClockFileTest : public ::testing::TestWithParam<WrongFile> {};

TEST_P(WrongClockFileTest, TheErrorNamesTheFileAndTheCause) {
    EXPECT_ERROR(parse_clock_file(GetParam().text, "clocks.json"), GetParam().cause);
    EXPECT_ERROR(parse_clock_file(GetParam().text, "clocks.json"), "clocks.json");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongClockFileTest,
    ::testing::Values(
        WrongFile{"{", "clocks.json"}, WrongFile{"[]", "clocks: no 'version'"},
        WrongFile{"{}", "clocks: no 'version'"}, WrongFile{R"({"version": 2})", "version 2, not 1"},
        WrongFile{R"({"version": -1})", "natural"}, WrongFile{R"({"version": 1})", "no 'reference'"},
        WrongFile{R"({"version": 1, "reference": 1})", "clocks.reference: not a string"},
        WrongFile{R"({"version": 1, "reference": "a", "nodes": 1})", "clocks.nodes: not an array"},
        WrongFile{R"({"version": 1, "reference": "a", "nodes": []})", "no nodes"},
        WrongFile{R"({"version": 1, "reference": "a", "nodes": [1]})", "clocks.nodes[0]: no 'host'"},
        WrongFile{one_node(""), "clocks.nodes[0].segments: there are none"},
        WrongFile{one_node(R"({"local": 1.5})"), "segments[0].local: not an integer"},
        WrongFile{one_node(R"({"local": 9223372036854775808})"), "not an integer of 64 bits"},
        WrongFile{one_node(segment(1, 1001)), "between 'low' and 'high'"},
        WrongFile{one_node(segment(INT64_C(1) << 62, 0)), "segments[0]: a clock beyond 2^61 ns"},
        WrongFile{one_node(segment(5, 0) + "," + segment(5, 0)), "segments[1]: a clock cannot"},
        WrongFile{one_node(segment(5, 0) + "," + segment(15, -10)), "segments[1]: a clock cannot"},
        WrongFile{R"({"version": 1, "reference": "a", "nodes": [{"host": "a", "segments": [)" +
                      segment(1, 0) + R"(]}, {"host": "a", "segments": [)" + segment(1, 0) + "]}]}",
                  "clocks.nodes[1]: the host a for the second time"}));

}  // namespace

}  // namespace ovni::test
