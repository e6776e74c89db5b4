// The engine fires what the matrix says, on synthetic traces.
#include <gtest/gtest.h>

#include "tests/region/chain_player.hpp"
#include "tests/region/matrix.hpp"

namespace ovni::region::test {

namespace {

TEST(EngineMatrix, FiresAsDocumented) {
    for (const MatrixRow& row : matrix) EXPECT_EQ(play(row.chains, row.trace), row.firings) << row.id;
}

}  // namespace

}  // namespace ovni::region::test
