#include "trace/clock_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/stream_test.hpp"
#include "trace/clock_file.hpp"

namespace ovni::test {

namespace {

class ClockModelTest : public ::testing::Test {
 protected:
    TraceBuilder trace_;

    ClockModel of(const std::string& text) {
        trace_.file("clock-offsets.txt", text);
        return ClockModel::of_trace(Trace::open(trace_.write()), {});
    }
    static std::string warnings(const ClockModel& clocks, const std::set<std::string>& hosts) {
        ::testing::internal::CaptureStderr();
        clocks.check(hosts);
        return ::testing::internal::GetCapturedStderr();
    }
};

constexpr const char* table_header = "rank hostname offset_median offset_mean offset_std\n";

TEST_F(ClockModelTest, OffsetsBelongToTheHostsOfLooms) {
    ClockModel clocks =
        of(std::string(table_header) + "0 a -50 -50.5 1.0\n1   b  7.9  8 nan   and more\n\n2 c -7.9 0 0\n");
    EXPECT_EQ(clocks.size(), 3u);
    EXPECT_EQ(clocks.of_host("a.x").corrected(0), -50);
    EXPECT_EQ(clocks.of_host("a").corrected(0), -50);
    EXPECT_EQ(clocks.of_host("b.y.z").corrected(0), 7);
    EXPECT_EQ(clocks.of_host("c").corrected(0), -7);
    EXPECT_EQ(clocks.of_host("A.x").corrected(0), 0);
    EXPECT_TRUE(clocks.has_entry("b.1"));
    EXPECT_FALSE(clocks.has_entry("d.1"));
}

TEST_F(ClockModelTest, OffsetsOfTheTableAreAdded) {
    trace_.clock_offsets({{"a", -50}, {"b", 0}});
    ClockModel clocks = ClockModel::of_trace(Trace::open(trace_.write()), {});
    EXPECT_EQ(clocks.of_host("a.x").corrected(1050), 1000);
    EXPECT_EQ(clocks.of_host("b.y").corrected(1010), 1010);
}

TEST_F(ClockModelTest, HostNamesAreComparedUpToTheFirstDot) {
    EXPECT_EQ(of(std::string(table_header) + "0 node1.cluster.org 9 9 0\n").of_host("node1.4").corrected(0),
              9);
}

TEST_F(ClockModelTest, TheHeaderIsNotLookedAt) {
    EXPECT_EQ(of("\n0 a 1 1 0").of_host("a").corrected(0), 1);
}

TEST_F(ClockModelTest, TheTableOfATraceMayBeMissingThatOfAnOptionNot) {
    EXPECT_EQ(ClockModel::of_trace(Trace::open(trace_.write()), {}).size(), 0u);
    EXPECT_ERROR(ClockModel::of_trace(Trace::open(trace_.write()), "/nowhere/table"), "/nowhere/table");
}

TEST_F(ClockModelTest, AnOptionWinsOverTheTable) {
    trace_.clock_offsets({{"a", 1}}).file("other.txt", std::string(table_header) + "0 a 2 2 0\n");
    std::filesystem::path trace = trace_.write();
    EXPECT_EQ(
        ClockModel::of_trace(Trace::open(trace), (trace / "other.txt").string()).of_host("a").corrected(0),
        2);
}

TEST_F(ClockModelTest, WarnsAboutHostsWithoutLoomsAndWithoutOffset) {
    ClockModel clocks = of(std::string(table_header) + "0 a 1 1 0\n1 b 1 1 0\n");
    EXPECT_EQ(warnings(clocks, {"a", "b"}), "");
    EXPECT_NE(warnings(clocks, {"a"}).find("no stream is of the host b\n"), std::string::npos);
    std::string missing = warnings(clocks, {"a", "b", "c"});
    EXPECT_EQ(std::ranges::count(missing, '\n'), 1) << missing;
    EXPECT_NE(missing.find("no clock offset for the host c, taken as 0"), std::string::npos) << missing;
    EXPECT_EQ(warnings(ClockModel(), {"a"}), "");
    EXPECT_NE(warnings(ClockModel(), {"a", "b"}).find("2 hosts"), std::string::npos);
}

TEST_F(ClockModelTest, MeasuredClocksWinOverTheTableAndAnOptionOverBoth) {
    std::string measured = clock_file_text(
        {"a",
         {{"a", {{{0, 0}, 0, 0, 0, 0, "reference"}}},
          {"b.org", {{{100, 10}, 0, 30, 40, 100, "envelope"}, {{200, 20}, 5, 30, 40, 100, "envelope"}}}}});
    trace_.clock_offsets({{"a", 1}}).file("clocks.json", measured).file("other", measured);
    std::filesystem::path trace = trace_.write();
    for (const char* name : {"", "clocks.json", "other"}) {
        std::optional<std::string> option;
        if (*name) option = trace / name;
        ClockModel clocks = ClockModel::of_trace(Trace::open(trace), option);
        EXPECT_EQ(clocks.of_host("a.1").corrected(5), 5);
        EXPECT_EQ(clocks.of_host("b.1").corrected(150), 165);
        EXPECT_NE(clocks.summary({"b"}, 0, 1).find("+-20 ns"), std::string::npos);
    }
    ClockModel table = ClockModel::of_trace(Trace::open(trace), (trace / "clock-offsets.txt").string());
    EXPECT_EQ(table.of_host("a.1").corrected(5), 6);
    EXPECT_EQ(table.summary({"a"}, 0, 1), "");
}

class OwnClocksTest : public ClockModelTest {
 protected:
    static ClockMeasurement at(int64_t local, int64_t offset, int64_t bound = 100) {
        return {{local, offset}, offset - bound, offset + bound, 2 * bound, 500, "envelope"};
    }
    static Json clock(const std::string& reference, const std::vector<ClockMeasurement>& points) {
        Json json = Json::parse(clock_file_text({reference, {{"x", points}}}));
        return {{"reference", reference}, {"points", json["nodes"][0]["segments"]}};
    }
    StreamBuilder& node(const std::string& host, const std::vector<ClockMeasurement>& points,
                        const std::string& reference = "a") {
        int pid = ++nodes_;
        return trace_.thread({.loom = host + ".0", .pid = pid, .tid = pid})
            .set("ovni.clock", clock(reference, points));
    }
    void also(const std::string& reference, const std::string& host,
              const std::vector<ClockMeasurement>& points) {
        trace_.file("clocks.json", clock_file_text({reference, {{"a", {at(0, 0, 0)}}, {host, points}}}));
    }
    ClockModel model(std::string* said = nullptr) {
        ::testing::internal::CaptureStderr();
        ClockModel clocks = ClockModel::of_trace(Trace::open(trace_.write()), {});
        std::string text = ::testing::internal::GetCapturedStderr();
        if (said) *said = text;
        return clocks;
    }

 private:
    int nodes_ = 0;
};
constexpr int64_t second = 1'000'000'000;

TEST_F(OwnClocksTest, WhatStreamsSayWinsOverTheTable) {
    node("a", {at(0, 0, 0), at(10 * second, 0, 0)});
    node("b", {at(second, 1000), at(11 * second, 501'000)});
    trace_.clock_offsets({{"a", 0}, {"b", 77}});
    ClockModel clocks = model();
    EXPECT_EQ(clocks.of_host("b.0").corrected(6 * second), 6 * second + 251'000);
    EXPECT_EQ(clocks.of_host("a.0").corrected(5), 5);
    EXPECT_EQ(clocks.summary({"a", "b"}, 0, 12 * second),
              "clocks of 2 of 2 hosts: right to +-100 ns when they were measured, extrapolated over 1.000 s "
              "before and "
              "2.000 s after");
}

TEST_F(OwnClocksTest, AStreamMayNameItsHost) {
    node("mine", {at(0, 0, 0)}).set("ovni.host", "a");
    node("yours", {at(second, 1000)}).set("ovni.host", "b.cluster");
    Trace trace = Trace::open(trace_.write());
    EXPECT_EQ(model().hosts_of(trace), (std::set<std::string>{"a", "b"}));
    EXPECT_EQ(model().of_host("b").corrected(0), 1000);
    EXPECT_EQ(model().of_host("yours").corrected(0), 0);
}

TEST_F(ClockModelTest, ATableMayNameTheLoomOfAStreamThatNamesItsHost) {
    StreamMetadata metadata;
    CommonMetadata common;
    common.loom = "mine.0";
    common.host = "a.cluster";
    metadata.common = common;
    EXPECT_EQ(of(std::string(table_header) + "0 mine 7 7 0\n").of_stream(metadata).corrected(0), 7);
    EXPECT_EQ(of(std::string(table_header) + "0 mine 7 7 0\n1 a 9 9 0\n").of_stream(metadata).corrected(0),
              9);
    EXPECT_EQ(of(std::string(table_header) + "0 b 7 7 0\n").of_stream(metadata).corrected(0), 0);
}

TEST_F(OwnClocksTest, TheSummaryIsOfTheHostsInTheTrace) {
    node("a", {at(0, 0, 0)});
    node("b", {at(second, 1000)});
    EXPECT_EQ(model().summary({"a", "c"}, 0, 1),
              "clocks of 1 of 2 hosts: right to +-0 ns when they were measured");
}

TEST_F(OwnClocksTest, APointThatNoClockCanReachIsLeftOut) {
    node("a", {at(0, 0, 0)});
    node("b", {at(second, 1000), at(2 * second, 10 * second)});
    std::string said;
    EXPECT_EQ(model(&said).of_host("b").corrected(2 * second), 2 * second + 1000);
    EXPECT_NE(said.find("left out"), std::string::npos) << said;
}

TEST_F(OwnClocksTest, OneMeasurementIsAConstant) {
    node("a", {at(0, 0, 0)});
    node("b", {at(second, 1000)});
    EXPECT_EQ(model().of_host("b").corrected(100 * second), 100 * second + 1000);
    EXPECT_NE(model().summary({"a", "b"}, 0, 1).find("drift is not corrected"), std::string::npos);
    EXPECT_EQ(ClockModel().summary({"a"}, 0, 1), "");
}

TEST_F(OwnClocksTest, ClocksOfStreamsAreUnitedWithThoseOfOvnisync) {
    node("a", {at(0, 0, 0)});
    node("b", {at(second, 1000)});
    also("a.cluster", "b", {at(21 * second, 21'000)});
    std::string said;
    ClockModel clocks = model(&said);
    EXPECT_EQ(clocks.of_host("b").corrected(11 * second), 11 * second + 11'000);
    EXPECT_EQ(said.find("left out"), std::string::npos) << said;
}

TEST_F(OwnClocksTest, AContradictionIsToldAndTheStreamsAreBelieved) {
    node("a", {at(0, 0, 0)});
    node("b", {at(second, 1000)});
    also("a", "b", {at(2 * second, 201'500)});
    std::string said;
    EXPECT_EQ(model(&said).of_host("b").corrected(2 * second), 2 * second + 1000);
    EXPECT_NE(said.find("an offset of 201500 ns (+-100)"), std::string::npos) << said;
    EXPECT_NE(said.find("of 1000 ns (+-100)"), std::string::npos) << said;
}

TEST_F(OwnClocksTest, ClocksMeasuredAgainstAnotherReferenceAreLeftOut) {
    node("a", {at(0, 0, 0)});
    node("b", {at(second, 1000)});
    node("c", {at(second, 5)}, "z");
    also("b", "c", {at(second, 7)});
    std::string said;
    ClockModel clocks = model(&said);
    EXPECT_FALSE(clocks.has_entry("c"));
    EXPECT_NE(said.find("measured against z, others against a"), std::string::npos) << said;
    EXPECT_NE(said.find("measured against b, the trace against a"), std::string::npos) << said;
}

TEST_F(OwnClocksTest, DamageNamesTheFileAndTheMember) {
    node("a", {at(0, 0, 0)}).set("ovni.clock", {{"reference", "a"}, {"points", {{{"local", 1.5}}}}});
    EXPECT_ERROR(Trace::open(trace_.write()), "ovni.clock.points[0].local: not an integer");
}

// Processes of one host whose time namespaces set the clock ahead.
TEST_F(ClockModelTest, StreamsOfSeveralTimeNamespacesMeet) {
    trace_.thread({.loom = "a.0", .pid = 1, .tid = 1});
    trace_.thread({.loom = "a.1", .pid = 2, .tid = 2}).set("ovni.time_offset", 5 * second);
    trace_.thread({.loom = "b.0", .pid = 3, .tid = 3}).set("ovni.time_offset", -7);
    Trace trace = Trace::open(trace_.write());
    auto corrected = [&](const ClockModel& clocks, size_t stream, int64_t clock) {
        return clocks.of_stream(trace.streams()[stream].metadata).corrected(clock);
    };
    ClockModel unknown = ClockModel::of_trace(trace, {});
    EXPECT_EQ(unknown.size(), 0u);
    EXPECT_EQ(corrected(unknown, 0, 100), 100);
    EXPECT_EQ(corrected(unknown, 1, 5 * second + 100), 100);
    EXPECT_EQ(corrected(unknown, 2, 100), 100);  // alone on its host
    ClockModel table = of(std::string(table_header) + "0 a 3 3 0\n1 b 4 4 0\n");
    EXPECT_EQ(corrected(table, 0, 100), 103);
    EXPECT_EQ(corrected(table, 1, 5 * second + 100), 103);
    EXPECT_EQ(corrected(table, 2, 100), 104);
}

TEST_F(OwnClocksTest, AHostIsMeasuredInOneOfItsTimeNamespaces) {
    node("a", {at(0, 0, 0)});
    node("b", {at(5 * second, 1000), at(15 * second, 501'000)}).set("ovni.time_offset", 5 * second);
    trace_.thread({.loom = "b.1", .pid = 7, .tid = 7});
    Trace trace = Trace::open(trace_.write());
    ClockModel clocks = model();
    auto corrected = [&](size_t stream, int64_t clock) {
        return clocks.of_stream(trace.streams()[stream].metadata).corrected(clock);
    };
    EXPECT_EQ(corrected(1, 10 * second), 10 * second + 251'000);
    EXPECT_EQ(corrected(2, 5 * second), 10 * second + 251'000);
    EXPECT_EQ(clocks.of_host("b").corrected(10 * second), 10 * second + 251'000);
}

// ovnisync ran outside of the namespaces of the job, whose reference is 2 s ahead there.
TEST_F(OwnClocksTest, ClocksAreUnitedAcrossTimeNamespaces) {
    node("a", {at(2 * second, 0, 0)}).set("ovni.time_offset", 2 * second);
    node("b", {at(5 * second, 1000)}).set("ovni.time_offset", 5 * second);
    also("a", "b", {at(20 * second, 21'000 + 3 * second)});
    std::string said;
    ClockModel clocks = model(&said);
    EXPECT_EQ(said.find("left out"), std::string::npos) << said;
    EXPECT_EQ(clocks.of_host("b").corrected(5 * second), 5 * second + 1000);
    EXPECT_EQ(clocks.of_host("b").corrected(25 * second), 25 * second + 21'000);
}

TEST_F(OwnClocksTest, ATimeOffsetThatCannotBeIsAnError) {
    node("a", {at(0, 0, 0)}).set("ovni.time_offset", int64_t{1} << 62);
    EXPECT_ERROR(Trace::open(trace_.write()), "ovni.time_offset: is beyond 2^61 ns");
}

struct WrongTable {
    std::string text;
    uint64_t offset;
    const char* cause;
};
class WrongTableTest : public ClockModelTest, public ::testing::WithParamInterface<WrongTable> {};

TEST_P(WrongTableTest, TheErrorNamesTheLineAndTheCause) {
    EXPECT_ERROR_AT(of(GetParam().text), GetParam().offset);
    EXPECT_ERROR(of(GetParam().text), GetParam().cause);
}

TEST_F(ClockModelTest, AnErrorNamesTheLine) {
    EXPECT_ERROR(of(std::string(table_header) + "0 a 1 1 0\n\n1 b 1\n"), "line 4: fewer than five fields");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongTableTest,
    ::testing::Values(WrongTable{"", 0, "header"}, WrongTable{"header\n", 7, "no entries"},
                      WrongTable{"header", 6, "no entries"}, WrongTable{"h\n\n \n", 5, "no entries"},
                      WrongTable{"h\n0 a 1 1\n", 2, "five"}, WrongTable{"h\n0\n", 2, "five"},
                      WrongTable{"h\n0 a 1 1 0\n1 a 2 2 0\n", 12, "second time"},
                      WrongTable{"h\n0 a.x 1 1 0\n1 a.y 2 2 0\n", 14, "second time"},
                      WrongTable{"h\nx a 1 1 0\n", 2, "index"},
                      WrongTable{"h\n0 a x 1 0\n", 2, "not a number"},
                      WrongTable{"h\n0 a 1 x 0\n", 2, "not a number"},
                      WrongTable{"h\n0 a nan 1 0\n", 2, "out of range"},
                      WrongTable{"h\n0 a 1e19 1 0\n", 2, "out of range"},
                      WrongTable{"h\n0 a 1 1 0 " + std::string(1100, 'x') + "\n", 2, "1023"}));

}  // namespace

}  // namespace ovni::test
