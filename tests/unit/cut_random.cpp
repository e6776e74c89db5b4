// Parts of random traces: cut again, and emulated.
#include <fmt/format.h>

#include "cut_test.hpp"
#include "support/random_trace.hpp"

namespace ovni::test {

namespace {

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
    std::filesystem::path whole_;
    int64_t length_ = 0;
};

TEST_P(RandomCutTest, CutAgainItIsTheCutOfTheWhole) {
    const Part outer{length_ / 5, length_ - length_ / 7};
    auto first = cut(whole_, "first", outer);
    int64_t shift = first_clock(first) - first_clock(whole_);
    for (int k = 0; k < 5; ++k) {
        int64_t quarter = (outer.to - outer.from) / 4;
        Part inner{outer.from + k * quarter / 2, outer.to - (4 - k) * quarter / 3};
        if (k == 4) inner = outer;
        auto again = cut(first, fmt::format("again{}", k), {inner.from - shift, inner.to - shift});
        auto once = cut(whole_, fmt::format("once{}", k), inner);
        expect_same(again, once);
    }
}

TEST_P(RandomCutTest, ItsEmulationIsASliceOfTheWhole) {
    expect_accepted(whole_);
    for (int k = 0; k < 6; ++k) {
        Part part{k * length_ / 7, (k + 2) * length_ / 7 + k};
        auto sliced = cut(whole_, fmt::format("slice{}", k), part);
        expect_accepted(sliced);
        expect_slice(whole_, sliced, part);
    }
}

RandomTrace all_models(uint32_t seed) {
    return {.seed = seed, .punctual = false, .models = every_model, .ties_within = 0, .ties_between = 0};
}

Sample samples[] = {
    {"all_models", all_models(1)},
    {"other_seed", all_models(2)},
};

INSTANTIATE_TEST_SUITE_P(Traces, RandomCutTest, testing::ValuesIn(samples));

}  // namespace

}  // namespace ovni::test
