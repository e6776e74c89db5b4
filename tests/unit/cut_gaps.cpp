// Parts that begin before, in and behind gaps; clocks that were measured by streams that are not kept.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

class CutGapsTest : public CutTest {
 protected:
    // Parts between two of these times, and one in the middle of each.
    void expect_parts_of(const std::vector<int64_t>& times) {
        fs::path whole = builder_.write();
        ASSERT_EQ(emulate(whole, {}).status, 0) << emulate(whole, {}).err;
        for (size_t i = 0; i + 1 < times.size(); ++i)
            for (size_t k = i + 1; k < times.size(); k += 4) expect_part(whole, {times[i], times[k]});
    }
    void expect_part(const fs::path& whole, Part part) {
        SCOPED_TRACE(fmt::format("from {} to {}", part.from, part.to));
        auto sliced = cut(whole, fmt::format("{}-{}", part.from, part.to), part);
        Finished done = emulate(sliced);
        ASSERT_EQ(done.status, 0) << done.err;
        expect_slice(whole, sliced, part);
        int64_t shift = first_clock(sliced) - first_clock(whole), third = (part.to - part.from) / 3;
        Part inner{part.from + third, part.to - third};
        auto again = cut(sliced, fmt::format("{}-{}-again", part.from, part.to),
                         {inner.from - shift, inner.to - shift});
        expect_same(again, cut(whole, fmt::format("{}-{}-once", part.from, part.to), inner));
    }

    TraceBuilder builder_;
};

TEST_F(CutGapsTest, WhatEndsBehindAGapMayHaveBegunBefore) {
    builder_
        .thread(
            {.cpus = {{0, 0}, {1, 1}}, .require = {{"ovni", "1.1.0"}, {"nosv", "2.7.0"}, {"mpi", "1.0.0"}}})
        .mark(1, "stack", "phase")
        .mark(2, "single", "step")
        .starts(1000)
        .jumbo("VYc", 1010, {u32(1), "type"})
        .event("VTc", 1020, {u32(1), u32(1)})
        .event("VTc", 1021, {u32(2), u32(1)})
        .event("OM[", 1030, {i64(5), 1})
        .event("OM=", 1031, {i64(6), 2})
        .event("VPr", 1035)
        .event("VTx", 1040, {u32(1), u32(0)})
        .event("VTp", 1045, {u32(1), u32(0)})
        .event("MS[", 1050)
        .gap(1100, 1200, 3)
        .event("MS]", 1210)
        .event("VTr", 1230, {u32(1), u32(0)})
        .event("VSh", 1240)
        .event("VSf", 1250)
        .event("VTe", 1260, {u32(1), u32(0)})
        .event("OM]", 1270, {i64(5), 1})
        .event("VTx", 1280, {u32(2), u32(0)})
        .gap(1300, 1400)
        .event("OHp", 1350)
        .event("OHr", 1370)
        .event("VTe", 1410, {u32(2), u32(0)})
        .event("OM=", 1420, {i64(7), 2})
        .ends(1500);
    builder_.thread({.tid = 2, .cpus = {}}).starts(1020, 1).event("OAr", 1310, {-1, 1}).ends(1490);
    expect_parts_of({10, 60, 150, 220, 235, 290, 340, 360, 380, 415, 450, 500});
}

TEST_F(CutGapsTest, PartsKeepAGapToTheEnd) {
    builder_.thread()
        .mark(1, "stack", "phase")
        .starts(1000)
        .event("OM[", 1030, {i64(5), 1})
        .gap(1100, {}, 3)
        .ends(1500);
    expect_parts_of({20, 50, 150, 300, 500});
}

Json points(const std::vector<std::pair<int64_t, int64_t>>& of) {
    Json list = Json::array();
    for (auto [local, offset] : of)
        list.push_back({{"local", local},
                        {"offset", offset},
                        {"rate_ppb", 0},
                        {"low", offset - 1},
                        {"high", offset + 1},
                        {"round_trip", 2},
                        {"samples", 1},
                        {"method", "test"}});
    return {{"reference", "a"}, {"points", list}};
}

// The clock of b drifts, and was measured by a thread that soon ends, and by another process.
TEST_F(CutGapsTest, ClocksStayWithTheirHosts) {
    constexpr int64_t second = 1'000'000'000;
    Identity a{.loom = "a.0"}, b{.loom = "b.0"}, b2 = b, b3 = b;
    b2.tid = 2, b2.cpus = {}, b3.pid = 3, b3.cpus = {{1, 1}};
    builder_.thread(a).starts(second).event("OB.", 15 * second / 10).ends(3 * second);
    builder_.thread(b)
        .set("ovni.clock", points({{second, 5000}, {2 * second, 6000}}))
        .starts(second)
        .ends(second + 100'000'000);
    builder_.thread(b2)
        .starts(second + 50, -1)
        .event("OHp", second + 100'000'000)
        .event("OHr", 2 * second)
        .ends(29 * second / 10);
    builder_.thread(b3)
        .set("ovni.clock", points({{3 * second, 9500}}))
        .starts(2 * second, 1)
        .ends(3 * second);
    expect_parts_of({second / 1000, second / 2, second + 3, 12 * second / 10, 19 * second / 10});
    fs::path part = cut(builder_.path(), "part", {second / 2, second});
    auto heir = nlohmann::json::parse(read_file(part / "loom.b.0/proc.1/thread.2/stream.json"));
    EXPECT_EQ(heir["ovni"]["clock"]["points"].size(), 3u);
}

}  // namespace

TEST_F(CutGapsTest, WhatWasNotRecordedBeforeAPartIsNoneOfIt) {
    builder_.thread({.require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}}})
        .starts(1000)
        .jumbo("MXC", 1050, {u32(3), u32(0), u64(77), 0, u32(2), u32(0), u32(0)})
        .jumbo("MXk", 1100, {u32(3), u32(0), u64(77), 0, 1, 7, u32(3), u32(2)})
        .jumbo("MXu", 1101, {u32(3), u32(0), u64(77), 0, 1, 7, u32(9)})
        .jumbo("MXe", 1102, {u32(4), u32(0), 1, 7})
        .jumbo("MXk", 1300, {u32(3), u32(0), u64(77), 0, 1, 8, u32(1), u32(0)})
        .ends(1500);
    const fs::path part = cut(builder_.write(), "part", {200, 500});
    std::string events;
    for (const auto& [path, content] : files_of(part))
        if (path.ends_with("stream.obs")) events = content;
    auto count = [&](const std::string& code) {
        size_t found = 0;
        for (size_t at = 0; (at = events.find(code, at)) != std::string::npos; ++at) ++found;
        return found;
    };
    EXPECT_EQ(count("MXC"), 1u);
    EXPECT_EQ(count("MXk"), 1u);
    EXPECT_EQ(count("MXu") + count("MXe"), 0u);
}

}  // namespace ovni::test
