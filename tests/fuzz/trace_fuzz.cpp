// Damaged traces through the whole of reading: listing, metadata, clocks, gaps, streams, merging,
// descriptions, sorting. Each must end with an Error or at the end of the trace.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "model/model_spec.hpp"
#include "tests/fuzz/damage.hpp"
#include "tests/support/process.hpp"
#include "tests/support/stream_test.hpp"
#include "trace/clock_model.hpp"
#include "trace/merger.hpp"
#include "trace/region_sort.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

enum class Outcome { clean, error };

class TraceFuzzTest : public ::testing::Test {
 protected:
    void SetUp() override {
        trace_.thread({.loom = "node0.a", .tid = 1, .rank = 0, .nranks = 2, .directory = "a"})
            .mark(5, "stack", "phase", {{3, "three"}})
            .starts(1000)
            .jumbo("VYc", 1001, {u32(1), "hey"})
            .event("OM[", 1002, {i64(3), 5})
            .gap(1003, 1010, 7)
            .event("OHp", 1005)
            .event("OHr", 1010)
            .event("OU[", 1012)
            .event("OB.", 1013, {u16(1)})
            .event("OU]", 1014)
            .event("OM]", 1015, {i64(3), 5})
            .ends(1020)
            .set("ovni.clock", Json::parse(R"({"reference": "node0", "points": [
                {"local": 900, "offset": 10, "low": 5, "high": 15, "round_trip": 10, "samples": 9, "method": "envelope"}]})"));
        trace_.thread({.loom = "node1.a", .tid = 2, .directory = "b"})
            .starts(1001)
            .event("OB.", 1009)
            .ends(1018);
        trace_.clock_offsets({{"node0", 10}, {"node1", -5}});
        trace_.write();
        ::testing::internal::CaptureStderr();
    }
    void TearDown() override { ::testing::internal::GetCapturedStderr(); }

    fs::path path() const { return trace_.path(); }

    std::string content(const char* name) const {
        std::ifstream file(trace_.path() / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // A new file each time: truncating one waits for the disk.
    void replace(const char* name, const std::string& text) const {
        fs::remove(trace_.path() / name);
        std::ofstream(trace_.path() / name, std::ios::binary | std::ios::trunc) << text;
    }

    // Everything that reading a trace for emulation does. Events are counted, to see that reading ends; where
    // a stream is damaged, the others are read to their end.
    Outcome read(ClockOrder order, const std::string& damage, Regions regions = Regions::as_they_are) const {
        Outcome outcome = Outcome::clean;
        try {
            Trace trace = Trace::open(trace_.path());
            ClockModel clocks = ClockModel::of_trace(trace, {});
            std::vector<StreamReader> readers;
            for (uint32_t i = 0; i < trace.streams().size(); ++i)
                readers.push_back(
                    trace.reader(i, clocks.of_stream(trace.streams()[i].metadata), order, regions));
            Merger merger(std::move(readers));
            constexpr size_t more_than_fit = 100;
            int64_t last = INT64_MIN;
            for (size_t events = 0; events < more_than_fit;) {
                try {
                    const EventView* event = merger.next();
                    if (!event) return outcome;
                    ++events;
                    if (order == ClockOrder::checked) {
                        EXPECT_GE(event->clock, last) << damage;
                    }
                    last = event->clock;
                    use(*event);
                } catch (const Error&) {
                    outcome = Outcome::error;
                }
            }
            ADD_FAILURE() << "reading does not end: " << damage;
        } catch (const Error& e) {
            EXPECT_FALSE(e.path.empty()) << damage << ": " << e.what();
            outcome = Outcome::error;
        }
        return outcome;
    }
    Outcome read_both_ways(const std::string& damage) const {
        read(ClockOrder::any, damage);
        read(ClockOrder::checked, damage, Regions::sorted);
        return read(ClockOrder::checked, damage);
    }
    void sort(const std::string& damage) const {
        try {
            sort_regions(trace_.path() / "a");
        } catch (const Error& e) {
            EXPECT_FALSE(e.path.empty()) << damage << ": " << e.what();
        }
    }

 private:
    static void use(const EventView& event) {
        if (event.kind != EventView::Kind::event) return;
        unsigned sum = 0;
        for (uint8_t byte : event.payload()) sum += byte;
        EXPECT_LE(sum, 0xffu * event.payload().size());
        const EventEntry& entry = find_event(event.code);
        if (entry.event) describe(entry.event->description, entry.signature, event.payload());
        // The payload is that of an event with other arguments.
        constexpr Signature other = parse_signature("XYZ+(u32 a, u64 b, str c)").signature;
        describe("%{a} %#llx{b} %{c}", other, event.payload());
    }

    TraceBuilder trace_;
};

TEST_F(TraceFuzzTest, TheTraceItselfIsClean) {
    EXPECT_EQ(read_both_ways("none"), Outcome::clean);
}

TEST_F(TraceFuzzTest, NoCutIsPassedOverInSilence) {
    const std::string whole = content("a/stream.obs");
    std::set<size_t> boundaries{whole.size()};
    StreamReader reader({.directory = path() / "a"});
    while (reader.next()) boundaries.insert(reader.event().offset);
    const std::string gaps = content("a/stream.gaps.json");
    for_each_cut(whole, [&](const std::string& damaged, const std::string& damage) {
        for (const char* name : {"with gaps", "without gaps"}) {
            fs::remove(path() / "a/stream.gaps.json");
            if (std::string(name) == "with gaps") replace("a/stream.gaps.json", gaps);
            replace("a/stream.obs", damaged);
            Outcome outcome = read_both_ways(damage);
            if (!boundaries.contains(damaged.size())) {
                EXPECT_EQ(outcome, Outcome::error) << damage << ' ' << name;
            }
            sort(damage);
        }
    });
}

TEST_F(TraceFuzzTest, AnyByteOfAStreamMayBeChanged) {
    for_each_change(content("a/stream.obs"), [&](const std::string& damaged, const std::string& damage) {
        replace("a/stream.obs", damaged);
        read_both_ways(damage);
        sort(damage);
    });
}

// Whatever the byte means: with checksums every change is an error.
TEST_F(TraceFuzzTest, ChecksumsFindEveryChangedByte) {
    const std::string whole = content("a/stream.obs");
    for (size_t block : {size_t{50}, whole.size()}) {
        const std::string checksums = StreamBuilder({}).content(whole).checksums(block).checksums_text();
        for_each_change(whole, [&](const std::string& damaged, const std::string& damage) {
            replace("a/stream.obs", damaged);
            replace("a/stream.crc", checksums);  // not the older file
            EXPECT_EQ(read_both_ways(damage), damaged == whole ? Outcome::clean : Outcome::error) << damage;
            sort(damage);
        });
    }
}

TEST_F(TraceFuzzTest, ChangedChecksumsAreErrorsButNotCutOnes) {
    const std::string stream = content("a/stream.obs");
    const std::string whole = StreamBuilder({}).content(stream).checksums(50).checksums_text();
    for_each_cut(whole, [&](const std::string& damaged, const std::string& damage) {
        replace("a/stream.crc", damaged);
        EXPECT_EQ(read_both_ways(damage), Outcome::clean) << damage;
    });
    for_each_change(whole, [&](const std::string& damaged, const std::string& damage) {
        replace("a/stream.crc", damaged);
        EXPECT_EQ(read_both_ways(damage), damaged == whole ? Outcome::clean : Outcome::error) << damage;
        sort(damage);
        replace("a/stream.obs", stream);
    });
}

TEST_F(TraceFuzzTest, CutMetadataIsAnError) {
    const std::string whole = content("a/stream.json");
    for_each_cut(whole, [&](const std::string& damaged, const std::string& damage) {
        replace("a/stream.json", damaged);
        EXPECT_EQ(read_both_ways(damage), Outcome::error) << damage;
    });
    for_each_change(whole, [&](const std::string& damaged, const std::string& damage) {
        EXPECT_NO_THROW(try { parse_metadata(damaged, "stream.json"); } catch (const Error&){}) << damage;
    });
}

TEST_F(TraceFuzzTest, CutGapsAreErrors) {
    const std::string whole = content("a/stream.gaps.json");
    for_each_cut(whole, [&](const std::string& damaged, const std::string& damage) {
        replace("a/stream.gaps.json", damaged);
        EXPECT_EQ(read_both_ways(damage), damaged.empty() ? Outcome::clean : Outcome::error) << damage;
    });
    for_each_change(whole, [&](const std::string& damaged, const std::string& damage) {
        replace("a/stream.gaps.json", damaged);
        read_both_ways(damage);
    });
}

TEST_F(TraceFuzzTest, AClockTableMayHaveAnyDamage) {
    const std::string whole = content("clock-offsets.txt");
    auto see = [&](const std::string& damaged, const std::string& damage) {
        replace("clock-offsets.txt", damaged);
        read(ClockOrder::checked, damage);
    };
    for_each_cut(whole, see);
    for_each_change(whole, see);
}

// Real processes on a sample: they end in time, with little memory, with status 0 or 1.
TEST_F(TraceFuzzTest, ToolsEndInTimeOnDamagedTraces) {
    constexpr size_t one_in = 211;
#ifdef __SANITIZE_ADDRESS__
    const std::string limit = "true";
#else
    const std::string limit = "ulimit -v 500000";
#endif
    size_t count = 0;
    auto see_with = [&](const char* name) {
        return [&, name](const std::string& damaged, const std::string& damage) {
            if (count++ % one_in != 0) return;
            for (const char* tool : {"ovnidump", "ovnitop", "ovnisort"}) {
                replace(name, damaged);
                Finished finished =
                    run({"bash", "-c", limit + " && exec " + program(tool) + " " + path().string()}, {}, 20);
                EXPECT_TRUE(finished.status == 0 || finished.status == 1)
                    << tool << ": status " << finished.status << ", " << name << ": " << damage << "\n"
                    << finished.err;
                EXPECT_EQ(finished.err.find("Sanitizer"), std::string::npos) << finished.err;
            }
        };
    };
    for (const char* name : {"a/stream.obs", "a/stream.json", "a/stream.gaps.json"}) {
        const std::string whole = content(name);
        for_each_cut(whole, see_with(name));
        for_each_change(whole, see_with(name));
        replace(name, whole);
    }
}

}  // namespace

}  // namespace ovni::test
