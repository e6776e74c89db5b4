// Damaged traces through the whole of emulation: an Error or a clean end, and records that make sense either
// way.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "emu/start.hpp"
#include "session/dry_run.hpp"
#include "session/end_checks.hpp"
#include "session/salvaged_trace.hpp"
#include "tests/fuzz/damage.hpp"
#include "tests/support/trace_builder.hpp"
#include "trace/merger.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

class EmulatorFuzzTest : public ::testing::Test {
 protected:
    void SetUp() override {
        Identity one{
            .loom = "a", .tid = 1, .rank = 0, .nranks = 2, .cpus = {{0, 0}, {1, 1}}, .directory = "a"};
        one.require.emplace_back("mpi", "1.0.0");
        trace_.thread(one)
            .mark(5, "stack", "phase", {{3, "three"}})
            .mark(98, "single", "marker")
            .set("ovni.mark.98.punctual", true)
            .set("ovni.end", {{"by", "exit"}, {"code", 1}})
            .starts(1000)
            .event("MS[", 1001)
            .event("MS]", 1002)
            .event("OM[", 1002, {i64(3), 5})
            .event("OM=", 1002, {i64(3), 98})
            .gap(1003, 1010, 7)
            .event("OHp", 1005)
            .event("OHr", 1010)
            .event("OAs", 1011, {1})
            .event("OAr", 1012, {0, 2})
            .event("OM]", 1015, {i64(3), 5})
            .event("MR[", 1016);
        trace_.thread({.loom = "a", .tid = 2, .rank = 0, .nranks = 2, .cpus = {}, .directory = "b"})
            .starts(1001, 1)
            .event("OB.", 1009)
            .ends(1018);
        trace_.write();
        ::testing::internal::CaptureStderr();
    }
    void TearDown() override { ::testing::internal::GetCapturedStderr(); }

    void replace(const char* name, const std::string& text) const {
        fs::remove(trace_.path() / name);
        std::ofstream(trace_.path() / name, std::ios::binary) << text;
    }
    std::string content(const char* name) const { return read_file(trace_.path() / name); }

    enum class Tolerance { none, keep_going };
    void emulate(const std::string& damage, Tolerance tolerance = Tolerance::none) {
        try {
            Trace trace = tolerance == Tolerance::none ? Trace::open(trace_.path()) : what_is_good();
            System system(trace);
            Plan plan = make_plan(trace, system, EnabledModels::required, Breakdowns::yes);
            std::vector<StreamReader> readers;
            std::vector<int64_t> clocks;
            for (uint32_t s = 0; s < trace.streams().size(); ++s) {
                clocks.push_back(no_clock);
                if (!trace.streams()[s].is_readable()) continue;
                readers.push_back(open_stream(trace, {}, s));
                clocks.back() = readers.back().first_clock().value_or(no_clock);
            }
            Emulator emulator(trace, system, plan, Strictness::tolerant, time_origin(trace, clocks),
                              std::vector<bool>(system.looms().size(), true));
            Merger merger(std::move(readers));
            try {
                while (const EventView* event = merger.next()) emulator.apply(*event);
                faults_at_end(trace, emulator, Strictness::linter);
            } catch (const Error& e) {
                note(e, damage, tolerance);
            }
            check(emulator, system, damage);
        } catch (const Error& e) {
            note(e, damage, tolerance);
        }
    }
    Trace what_is_good() const {
        std::vector<Damage> damages;
        std::vector<StreamFile> files;
        for (const std::string& path : find_streams(trace_.path()).streams)
            if (auto file = salvage_stream(trace_.path(), path, Regions::as_they_are, damages))
                files.push_back(std::move(*file));
        Trace trace = salvaged_trace(trace_.path(), std::move(files), EnabledModels::required,
                                     Breakdowns::yes, damages);
        salvage_events(trace, {}, damages);
        return trace;
    }

    int errors_ = 0;

 private:
    void note(const Error& error, const std::string& damage, Tolerance tolerance) {
        ++errors_;
        EXPECT_EQ(tolerance, Tolerance::none) << damage << ": " << error.what();
    }
    static void check(Emulator& emulator, const System& system, const std::string& damage) {
        int64_t last = 0;
        for (const Record& record : emulator.tracker().queue().take_before(INT64_MAX)) {
            EXPECT_GE(record.time, last) << damage;
            last = record.time;
            EXPECT_TRUE(record.thread_row == Record::no_row || record.thread_row < system.threads().size())
                << damage;
            EXPECT_TRUE(record.cpu_row == Record::no_row || record.cpu_row < system.cpus().size()) << damage;
        }
    }

    TraceBuilder trace_;
};

TEST_F(EmulatorFuzzTest, TheTraceItselfIsGood) {
    emulate("none");
    EXPECT_EQ(errors_, 0);
}

TEST_F(EmulatorFuzzTest, StreamsWithAnyDamage) {
    auto see = [&](const std::string& text, const std::string& damage) {
        replace("a/stream.obs", text);
        emulate(damage);
        emulate(damage, Tolerance::keep_going);
    };
    std::string good = content("a/stream.obs");
    for_each_cut(good, see);
    for_each_change(good, see);
    EXPECT_GT(errors_, 100);
}

TEST_F(EmulatorFuzzTest, MetadataWithAnyDamage) {
    auto see = [&](const std::string& text, const std::string& damage) {
        replace("a/stream.json", text);
        emulate(damage);
        emulate(damage, Tolerance::keep_going);
    };
    std::string good = content("a/stream.json");
    for_each_cut(good, see);
    for_each_change(good, see);
    EXPECT_GT(errors_, 100);
}

}  // namespace

}  // namespace ovni::test
