// Efficiencies beside the critical path.
#include <gmock/gmock.h>

#include "messages/costs/critical_path.hpp"

namespace ovni {

namespace {

constexpr int64_t s = 1'000'000'000;

CriticalPath path_with(int64_t computing, int64_t in_mpi) {
    CriticalPath path;
    path.sums = {{0, 0, {outside_of_mpi, 0, 0}, computing / 2},
                 {1, 0, {outside_of_mpi, 0, 0}, computing - computing / 2},
                 {1, 0, {0, 0, 0}, in_mpi}};
    return path;
}
Efficiencies ideal_of(int64_t ideal) {
    Efficiencies all;
    all.all.emplace_back().ideal_runtime = ideal;
    return all;
}

TEST(ContradictionTest, ARunIsNotShorterThanWhatItsPathComputes) {
    const auto contradiction = contradiction_of(path_with(8 * s, 2 * s), ideal_of(5 * s));
    ASSERT_TRUE(contradiction);
    EXPECT_THAT(*contradiction,
                testing::StartsWith("the critical path computes for 8.000 s, but the run in an "
                                    "ideal network would take 5.000 s"));
}

TEST(ContradictionTest, MpiOnThePathIsNone) {
    EXPECT_FALSE(contradiction_of(path_with(8 * s, 20 * s), ideal_of(8 * s)));
    EXPECT_FALSE(contradiction_of(path_with(8 * s, 0), ideal_of(8 * s - s / 4)));
}

TEST(ContradictionTest, NothingIsComparedWithoutCertainOrders) {
    Efficiencies efficiencies = ideal_of(5 * s);
    efficiencies.out_of_order = 1;
    EXPECT_FALSE(contradiction_of(path_with(8 * s, 0), efficiencies));
    EXPECT_FALSE(contradiction_of(path_with(8 * s, 0), {}));
}

}  // namespace

}  // namespace ovni
