// Damaged traces through the whole of emulation: an Error or a clean end, and records that make sense either
// way.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/fuzz/damage.hpp"
#include "tests/fuzz/dry_emulation.hpp"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

class EmulatorFuzzTest : public ::testing::Test {
 protected:
    void SetUp() override {
        Identity one{
            .loom = "a", .tid = 1, .rank = 0, .nranks = 2, .cpus = {{0, 0}, {1, 1}}, .directory = "a"};
        for (const auto& [model, version] : {std::pair("mpi", "1.3.0"), std::pair("counters", "1.0.0"),
                                             std::pair("pthread", "1.0.0"), std::pair("openmp", "1.3.0")})
            one.require.emplace_back(model, version);
        trace_.thread(one)
            .mark(5, "stack", "phase", {{3, "three"}})
            .mark(98, "single", "marker")
            .set("ovni.mark.98.punctual", true)
            .set("ovni.end", {{"by", "exit"}, {"code", 1}})
            .set("ovni.counters", {"cycles", "rss"})
            .set("mpi.modules.0", "1fa3 0 /a")
            .set("mpi.sites.1", "MPI_Send 0+0x1 ?+0x2")
            .starts(1000)
            .event("MX@", 1001, {u32(1)})
            .event("C4A", 1001, {u32(7)})
            .event("CRm", 1001, {u64(1), u64(2)})
            .event("MS[", 1001)
            .event("C8A", 1002, {u64(7)})
            .event("MS]", 1002)
            .jumbo("HMd", 1002, {u32(1), u64(2), "lock"})
            .event("HM[", 1002, {u32(1), 2})
            .event("HM]", 1002, {u32(1), 2, 0})
            .event("PR[", 1002, {u32(0), u32(1), u32(2), u32(0)})
            .event("PX[", 1002, {u16(1)})
            .event("PX]", 1002, {u16(1)})
            .event("PR]", 1002, {u32(0), u32(1), u32(2), u32(0)})
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
            Trace trace =
                tolerance == Tolerance::none ? Trace::open(trace_.path()) : fuzz::good_part(trace_.path());
            fuzz::emulate(trace, EnabledModels::required, [&](bool holds) { EXPECT_TRUE(holds) << damage; });
        } catch (const Error& error) {
            ++errors_;
            EXPECT_EQ(tolerance, Tolerance::none) << damage << ": " << error.what();
        }
    }

    int errors_ = 0;

 private:
    TraceBuilder trace_;
};

TEST_F(EmulatorFuzzTest, TheTraceItselfIsGood) {
    emulate("none");
    EXPECT_EQ(errors_, 0);
}

TEST_F(EmulatorFuzzTest, AnyDamageToAStreamIsAnErrorOrATrace) {
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

TEST_F(EmulatorFuzzTest, AnyDamageToMetadataIsAnErrorOrATrace) {
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
