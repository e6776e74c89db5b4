// The grammar of --mpi-functions, on a small table.
#include "core/function_choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

namespace ovni::test {

namespace {

struct Row {
    const char* name;
    const char* family;
    uint8_t tier;
};

constexpr Row rows[] = {{"MPI_Send", "p2p", 1},
                        {"MPI_Bcast", "collective", 1},
                        {"MPI_Cart_get", "topology", 2},
                        {"MPI_Wtime", "time", 3}};

struct Choice {
    std::string chosen;  // a letter of each: SBCW
    std::string wrong;
    bool operator==(const Choice&) const = default;
};

Choice choice(std::string_view list) {
    std::array<bool, std::size(rows)> in{};
    Choice result;
    result.wrong = choose_functions(list, std::span(rows), [&](size_t i, bool chosen) { in[i] = chosen; });
    for (size_t i = 0; i < in.size(); ++i)
        if (in[i]) result.chosen += rows[i].name[4];
    return result;
}

}  // namespace

TEST(FunctionChoice, WordsTakeInAndLeaveOutFromLeftToRight) {
    EXPECT_EQ(choice(""), (Choice{"SBC", ""}));
    EXPECT_EQ(choice("default"), (Choice{"SBC", ""}));
    EXPECT_EQ(choice("all"), (Choice{"SBCW", ""}));
    EXPECT_EQ(choice("none"), (Choice{"", ""}));
    EXPECT_EQ(choice("tier1"), (Choice{"SB", ""}));
    EXPECT_EQ(choice("tier3,p2p"), (Choice{"SW", ""}));
    EXPECT_EQ(choice("-p2p"), (Choice{"BC", ""}));
    EXPECT_EQ(choice("!MPI_Send,wtime"), (Choice{"BCW", ""}));
    EXPECT_EQ(choice("all,-collective,BCAST"), (Choice{"SBCW", ""}));
    EXPECT_EQ(choice("all,none,Cart_get"), (Choice{"C", ""}));
}

TEST(FunctionChoice, FirstWordThatMeansNothingIsTold) {
    EXPECT_EQ(choice("p2p,Sned,x"), (Choice{"S", "Sned"}));
    EXPECT_EQ(choice("-none"), (Choice{"SBC", "-none"}));
    EXPECT_EQ(choice("tier4"), (Choice{"", "tier4"}));
    EXPECT_EQ(choice("p2p,,time"), (Choice{"SW", ","}));
    EXPECT_EQ(choice("-"), (Choice{"SBC", "-"}));
    EXPECT_EQ(choice("P2P"), (Choice{"", "P2P"}));
}

}  // namespace ovni::test
