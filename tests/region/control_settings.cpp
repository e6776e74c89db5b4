// The environment's settings of the controller, and chains in one variable.
#include "region/control_settings.hpp"

#include <gtest/gtest.h>

#include "region/plan.hpp"

namespace ovni::region::test {

namespace {

std::string error_of(std::string_view text) {
    RankList list;
    Fault fault = RankList::parse(text, list);
    return fault ? fault->message() : "";
}

TEST(RankListTest, HoldsWhatItSays) {
    RankList list;
    ASSERT_FALSE(RankList::parse("0,3-5,9-9", list));
    for (uint32_t rank : {0u, 3u, 4u, 5u, 9u}) EXPECT_TRUE(list.holds(rank)) << rank;
    for (uint32_t rank : {1u, 2u, 6u, 8u, 10u}) EXPECT_FALSE(list.holds(rank)) << rank;
    EXPECT_TRUE(RankList().holds(7));
}

TEST(RankListTest, MistakesShowTheirPlace) {
    EXPECT_EQ(error_of("0,x"), "a list of ranks is like 0,3-5, at column 3 of '0,x'");
    for (const char* text : {"", ",", "1,", "5-3", "-1", "1-", "1--2", "0x3", " 1"})
        EXPECT_NE(error_of(text), "") << text;
}

TEST(ChainsInOneVariableTest, ChainsAreDividedAsTheyWereJoined) {
    std::vector<std::string> chains{"start:pcontrol:a;b", "stop:pcontrol:\"c;d\"", "start:pcontrol:e\\;f;;",
                                    "start:pcontrol:\xe2\x80\x93;"};
    std::vector<std::string> divided;
    ASSERT_FALSE(split_chains(join_chains(chains), divided));
    ASSERT_EQ(divided.size(), chains.size());
    for (size_t i = 0; i < chains.size(); ++i) {
        Plan as_given, as_divided;
        ASSERT_FALSE(make_plan({&chains[i], 1}, {}, as_given));
        ASSERT_FALSE(make_plan({&divided[i], 1}, {}, as_divided));
        EXPECT_EQ(as_given.chains[0].alarms[0].text, as_divided.chains[0].alarms[0].text);
    }
}

TEST(TextOfAlarmTest, TheTextIsWhatTheUserWrote) {
    std::vector<std::string> chains{"start:pcontrol:\"a,b\":count2 , name:x, stop : mpi:Send,bcast"};
    Plan plan;
    ASSERT_FALSE(make_plan(chains, {}, plan));
    const Chain& chain = plan.chains[0];
    EXPECT_EQ(text_of(chain, chain.alarms[0]), "start:pcontrol:\"a,b\":count2");
    EXPECT_EQ(text_of(chain, chain.alarms[1]), "stop : mpi:Send");
}

}  // namespace

}  // namespace ovni::region::test
