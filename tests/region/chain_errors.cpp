// Chains that are refused, with the sentence and the column that the user sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "region/plan.hpp"
#include "tests/region/chain_player.hpp"

namespace ovni::region::test {

namespace {

struct Row {
    const char* chain;
    const char* what;
    size_t column;
};

const std::vector<Row> rows = {
    {"", "empty element", 1},
    {"start", "missing alarm type", 1},
    {"start:icount", "icount: missing value", 13},
    {"start:icount:", "icount: missing value", 14},
    {"start:icount:abc", "icount: not a number: 'abc'", 14},
    {"start:icount:0x", "icount: not a number: '0x'", 14},
    {"start:icount:-1", "icount: not a number: '-1'", 14},
    {"start:icount:99999999999999999999", "icount: too large: '99999999999999999999'", 14},
    {"start:icount:99999999999:count99999999", "counts too far", 26},
    {"start:bogus:1", "unknown alarm type 'bogus'", 7},
    {"start:uniform:1", "unknown alarm type 'uniform'", 7},
    {"go:icount:1", "unknown event 'go'", 1},
    {"start:icount:100:tid0:global", "global and tid are mutually exclusive", 23},
    {"start:icount:100:global,tid0", "global and tid are mutually exclusive", 25},
    {"start:icount:100:foo", "unknown token 'foo'", 18},
    {"start:icount:100:", "unknown token ''", 18},
    {"start:icount:100:count", "unknown token 'count'", 18},
    {"start:icount:100:count1x", "count: not a number: '1x'", 23},
    {"start:icount:100:tid4294967295", "tid: too large", 18},
    {"start:icount:100:bcast,bcast", "bcast is given twice", 24},
    {"start:int3:3:count3", "count is given twice", 14},
    {"start:int3:0", "count must be >=1", 12},
    {"uniform:500:800:5", "uniform: need period>=length>=1, count>=1", 9},
    {"uniform:5:0:5", "uniform: need period>=length>=1, count>=1", 9},
    {"uniform:800:500", "uniform:<period>:<length>:<count>", 1},
    {"uniform:800::5", "uniform: missing value", 13},
    {"uniform:8:5:1:count2", "uniform has its count as the third number", 15},
    {"uniform:8:5:1,uniform:8:5:1", "only one uniform", 15},
    {"start:icount:100,repeat:0", "repeat must be >=1", 25},
    {"start:icount:100,repeat:", "repeat: missing value", 18},
    {"start:icount:100,repeat:x", "repeat: not a number: 'x'", 25},
    {"start:icount:100,repeat,repeat", "repeat is given twice", 25},
    {"start:icount:100,repeats", "unknown event 'repeats'", 18},
    {"repeat:2", "chain without alarm", 1},
    {"bcast,start:icount:1", "modifier before any alarm", 1},
    {"start:itext:0f0", "itext: 1..15 bytes of hex", 13},
    {"start:itext:0x", "itext: 1..15 bytes of hex", 13},
    {"start:itext:00112233445566778899aabbccddeeff", "itext: 1..15 bytes of hex", 13},
    {"start:magic:1", "magic: int.int", 13},
    {"start:magic:1.4294967296", "magic: more than 32 bits", 15},
    {"start:cpuid:1.2.3", "cpuid: leaf or leaf.subleaf", 13},
    {"start:pcontrol:@1", "pcontrol: missing value", 16},
    {"start:pcontrol:\"\"", "pcontrol: missing value", 16},
    {"start:timeout:1.", "timeout: not a number of seconds", 15},
    {"start:timeout:1e3", "timeout: not a number of seconds", 15},
    {"start:timeout:99999999999", "timeout: too long", 15},
    {"start:address:+5", "address: no image before the '+'", 15},
    {"start:mpi:Frobnicate", "unknown MPI function 'Frobnicate'", 11},
    {"start:slowcall:Send", "slowcall: missing value", 20},
    {"start:slowcall:Send:5", "slowcall: a duration is digits and ns, us, ms or s", 21},
    {"start:slowcall:Send:us", "slowcall: a duration is digits and ns, us, ms or s", 21},
    {"start:slowcall:Send:99999999999s", "slowcall: duration too long", 21},
    {"start:icount:100,waitfor:nope", "unknown chain nope", 26},
    {"start:icount:100,name:a,waitfor:a", "waitfor cycle", 33},
    {"start:icount:100,name:a,nameb", "duplicate name", 25},
    {"start:icount:100,name", "name: missing value", 18},
    {"start:icount:1,,stop:icount:2", "empty element", 16},
    {"start:icount:1,", "empty element", 16},
    {"start:address:foo:count0", "count must be >=1", 19},
    {"start:icount:0", "icount must be >=1", 14},
    {"start:ssc:123456789", "ssc: 1..8 hex digits", 11},
    {"start:address:\"foo", "unterminated quote", 15},
    {"start:address:foo\\", "nothing after the backslash", 18},
    {"\xe2\x80\x93start:x", "unknown event '-start'", 1},
    {"start:pcontrol:\xc3\xa9\xc3\xa9:x", "unknown token 'x'", 19},
};

TEST(ChainErrors, NameTheFaultAndItsColumn) {
    for (const Row& row : rows) {
        Plan plan;
        std::vector<std::string> chains = {row.chain};
        Fault fault = make_plan(chains, {functions()}, plan);
        ASSERT_TRUE(fault) << row.chain;
        EXPECT_EQ(fault->what, row.what) << row.chain;
        EXPECT_EQ(fault->column(), row.column) << row.chain;
    }
}

TEST(ChainErrors, ShowThePlaceInOneLine) {
    EXPECT_EQ(play({"start:icount:1\n,go:x"}, ""),
              "error: unknown event 'go', at column 17 of 'start:icount:1?,go:x'");
}

TEST(ChainErrors, ConcernChainsTogether) {
    EXPECT_EQ(play({"start:int3,name:a", "stop:int3,name:a"}, ""),
              "error: duplicate chain name a, at column 16 of 'stop:int3,name:a'");
    EXPECT_EQ(play({"start:int3,name:a,waitfor:b", "stop:int3,name:b,waitfor:a"}, ""),
              "error: waitfor cycle, at column 27 of 'start:int3,name:a,waitfor:b'");
    EXPECT_EQ(play({"uniform:2:1:1", "uniform:2:1:1"}, ""),
              "error: only one uniform, at column 1 of 'uniform:2:1:1'");
}

TEST(ChainErrors, MoreThan128AlarmsAreAnError) {
    std::vector<std::string> chains(most_alarms, "start:int3");
    EXPECT_EQ(play(chains, "T0:int3").substr(0, 17), "start(t0)@0:T0:in");
    chains.emplace_back("stop:int3");
    EXPECT_EQ(play(chains, "T0:int3"), "error: more than 128 alarms, at column 1 of 'stop:int3'");
}

// Nothing that is typed ends the program: every prefix, and every byte changed.
TEST(ChainErrors, AnyDamageIsAnErrorOrAChain) {
    const std::string whole =
        "precond:pcontrol:\"a,b\"@-1:count2,bcast,uniform:8:5:1,stop:address:l+0x1:tid2,namex,repeat3";
    for (size_t i = 0; i <= whole.size(); ++i) {
        play({whole.substr(0, i)}, "T0:int3");
        for (char c : std::string(":,\"\\ @0x;\xe2")) {
            if (i == whole.size()) continue;
            std::string changed = whole;
            changed[i] = c;
            std::string answer = play({changed}, "T0:int3");
            EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 0);
        }
    }
}

}  // namespace

}  // namespace ovni::region::test
