// Parts of random traces: cut again, and emulated.
#include <fmt/format.h>

#include "base/file.hpp"
#include "tests/support/random_trace.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

struct Sample {
    const char* name;
    RandomTrace what;
    friend std::ostream& operator<<(std::ostream& out, const Sample& sample) { return out << sample.name; }
};

class RandomCutTest : public CutTest, public testing::WithParamInterface<Sample> {
 protected:
    RandomCutTest() {
        build(builder_, GetParam().what);
        whole_ = builder_.write();
        length_ = length(whole_);
    }

    TraceBuilder builder_;
    fs::path whole_;
    int64_t length_ = 0;
};

TEST_P(RandomCutTest, ACutOfACutIsThatOfTheWhole) {
    const Part outer{length_ / 5, length_ - length_ / 7};
    auto first = cut(whole_, "first", outer);
    int64_t shift = first_clock(first) - first_clock(whole_);
    for (int k : {1, 3}) {
        int64_t quarter = (outer.to - outer.from) / 4;
        Part inner{outer.from + k * quarter / 2, outer.to - (3 - k) * quarter / 2};
        if (k == 3) inner = outer;
        auto again = cut(first, fmt::format("again{}", k), {inner.from - shift, inner.to - shift});
        auto once = cut(whole_, fmt::format("once{}", k), inner);
        expect_same(again, once);
    }
}

TEST_P(RandomCutTest, TheEmulationOfACutIsASliceOfTheWhole) {
    std::vector<std::string> strictness;
    if (!GetParam().what.crowded && !GetParam().what.leave_open) strictness = {"-l"};
    ASSERT_EQ(emulate(whole_, strictness).status, 0);
    for (int k : {0, 2}) {
        Part part{k * length_ / 5, (k + 1) * length_ / 5 + k};
        auto sliced = cut(whole_, fmt::format("slice{}", k), part);
        Finished emulated = emulate(sliced, strictness);
        ASSERT_EQ(emulated.status, 0) << emulated.err;
        expect_slice(whole_, sliced, part);
    }
}

// The oracle plays events of one clock as the reference does.
TEST_P(RandomCutTest, TheReferenceEmulatesACutAlike) {
    if (GetParam().what.crowded || GetParam().what.leave_open) return;
    auto part = cut(whole_, "part", {length_ / 3, length_ / 2});
    fs::path oracle = fs::path(SOURCE_DIR) / "tests/oracle/oracle", said = directory() / "said";
    fs::create_directory(said);
    Finished done = run({oracle, "-l", "--order", "exact", part, said});
    EXPECT_EQ(done.status, 0) << done.err;
    ASSERT_EQ(emulate(part, {"-l", "--exact-order"}).status, 0);
    for (const char* file : {"thread.prv", "cpu.prv", "thread.pcf", "cpu.pcf", "thread.row", "cpu.row"})
        EXPECT_TRUE(read_file(said / file) == read_file(part / file)) << file;
}

const RandomTrace every{.punctual = false, .models = every_model};

RandomTrace distinct(uint32_t seed) {
    RandomTrace what = every;
    what.seed = seed;
    what.ties_within = what.ties_between = 0;
    return what;
}

template <class Change>
RandomTrace changed(uint32_t seed, Change change) {
    RandomTrace what = every;
    what.seed = seed;
    change(what);
    return what;
}

const Sample samples[] = {
    {"distinct clocks", distinct(1)},
    {"others", distinct(2)},
    {"long", changed(3, [](auto& t) { t.events = 4000, t.looms = 2; })},
    {"ties", changed(4, [](auto& t) { t.ties_within = t.ties_between = 80; })},
    {"clock offsets", changed(5, [](auto& t) { t.hosts = 2, t.clock_offsets = true; })},
    {"equal tids", changed(6, [](auto& t) { t.equal_tids = true, t.processes = 3, t.ranks = Ranks::none; })},
    {"mixed ranks", changed(7, [](auto& t) { t.ranks = Ranks::mixed, t.apps = 3, t.cpus = 5; })},
    {"crowded", changed(8, [](auto& t) { t.crowded = true, t.cpus = 1; })},
    {"states left open", changed(9, [](auto& t) { t.leave_open = true; })},
    {"short lives", changed(10, [](auto& t) { t.events = 30, t.looms = 8; })},
};

INSTANTIATE_TEST_SUITE_P(Traces, RandomCutTest, testing::ValuesIn(samples));

}  // namespace

}  // namespace ovni::test
