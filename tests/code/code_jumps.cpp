// Jumps in place of sites that are hit often.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/code/controlled.hpp"

namespace ovni::test {

namespace {

using testing::ElementsAre;

class CodeJumps : public ControlledProgram {
 protected:
    static constexpr const char* target = BUILD_DIR "/tests/code_jump_target";
    // Not position-independent.
    static constexpr const char* low_target = BUILD_DIR "/tests/code_jump_low_target";
};

// The last call of each fires, and no other one.
TEST_F(CodeJumps, CountWhatTrapsCount) {
    Words chains, wanted;
    for (const char* name : {"pushes", "long", "return", "branch", "data", "call", "double"}) {
        // A call of jump_call is one of jump_long, too.
        const int calls = std::string(name) == "long" ? 800 : 400;
        wanted.push_back(std::string("threadid:address:jump_") + name + ":count" + std::to_string(calls));
        chains.push_back(wanted.back());
        chains.push_back(std::string("threadid:address:jump_") + name + ":count" + std::to_string(calls + 1));
    }
    const Finished untouched = run({target, "often"});
    const Finished done = controlled(chains, {target, "often"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_THAT(fired(), testing::UnorderedElementsAreArray(wanted));
}

TEST_F(CodeJumps, JumpsAreMadeWhereManyHitsCome) {
    Words chains;
    for (const char* name : {"pushes", "long", "return", "branch", "data", "call", "double"})
        chains.push_back(std::string("threadid:address:jump_") + name + ":count1000000");
    for (const char* program : {target, low_target}) {
        const Finished done = controlled(chains, {program, "often", "jumps"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.out,
                    testing::HasSubstr("pushes 1\nlong 1\nreturn 1\nbranch 1\ndata 1\ncall 1\ndouble 1\n"));
    }
}

// Each hit is reported, and nothing of the program's registers is lost.
TEST_F(CodeJumps, ReportWhatFires) {
    const Words words{target, "often"};
    const Finished untouched = run(words);
    const Finished done = controlled(
        {"threadid:address:jump_double,repeat,name:one", "threadid:address:jump_double:count1000000",
         "threadid:enter_func:jump_pushes,repeat", "threadid:exit_func:jump_data,repeat"},
        words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    const Words all = fired();
    for (const char* alarm :
         {"threadid:address:jump_double", "threadid:enter_func:jump_pushes", "threadid:exit_func:jump_data"})
        EXPECT_EQ(std::ranges::count(all, alarm), 400) << alarm;
    const Words places = fired_at();
    EXPECT_EQ(std::set<std::string>(places.begin(), places.end()).size(), 3u);
}

TEST_F(CodeJumps, StandBackWhereTheProgramJumpsIntoThem) {
    const Finished untouched = run({target, "into"});
    const Finished done = controlled(
        {"threadid:address:jump_inside:count399", "threadid:address:jump_inside:count400"}, {target, "into"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_THAT(fired(), ElementsAre("threadid:address:jump_inside:count399"));
}

// Made and taken away while four threads run through them.
TEST_F(CodeJumps, ComeAndGo) {
    const Words words{target, "in_turn"};
    const Finished untouched = run(words);
    const Finished done =
        controlled({"threadid:address:jump_turn:count70,threadid:address:jump_pushes:count70,repeat"}, words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_EQ(fired().size(), 4u * 2000 * 2);
}

TEST_F(CodeJumps, TheLoadersOwnSiteBecomesNoJump) {
    const Finished untouched = run({target, "late"});
    const Finished done = controlled({"threadid:enter_func:come_late,repeat"}, {target, "late"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_EQ(fired().size(), 40u);
}

TEST_F(CodeJumps, ReportWhateverTheFlagsAre) {
    const Finished untouched = run({target, "backwards"});
    const Finished done = controlled({"threadid:exit_func:jump_turn,repeat"}, {target, "backwards"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_EQ(fired().size(), 400u);
}

TEST_F(CodeJumps, JumpsAreWholeInChildrenOfFork) {
    const Finished done =
        controlled({"threadid:address:jump_turn:count70,threadid:address:jump_pushes:count70,repeat"},
                   {target, "forks"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "60\n");
}

// Traps would end the process there.
TEST_F(CodeJumps, WorkWhereSignalsAreBlocked) {
    const Finished done = controlled({"threadid:enter_func:jump_turn:count1000000"}, {target, "timer"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "called\n");
}

// The insides of jumps are bad instructions in such a program.
TEST_F(CodeJumps, LeaveTheProgramItsOwnBadInstructions) {
    const Words words{low_target, "illegal", "into", "in_turn"};
    const Finished untouched = run(words);
    const Words chains{"threadid:address:jump_inside:count399", "threadid:address:jump_inside:count400",
                       "threadid:address:jump_turn:count1000000"};
    const Finished done = controlled(chains, words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_THAT(fired(), ElementsAre(chains.front()));
    constexpr int by_bad_instruction = 128 + SIGILL;
    EXPECT_EQ(controlled(chains, {"bash", "-c", std::string(low_target) + " illegal die"}).status,
              by_bad_instruction);
}

// Instructions are counted from behind the one that armed the count.
TEST_F(CodeJumps, LeadToTranslatedCode) {
    std::set<Words> places;
    for (const char* count : {"10", "200"}) {
        const Finished done =
            controlled({std::string("precond:address:jump_pushes:count") + count +
                        ",threadid:icount:5,precond:address:jump_pushes:count3,threadid:icount:7"},
                       {"--control-accuracy", "exact", target, "often"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(fired(), ElementsAre("threadid:icount:5", "threadid:icount:7"));
        places.insert(fired_at());
    }
    EXPECT_EQ(places.size(), 1u) << "a jump and a trap lead to the same instruction";
}

}  // namespace

}  // namespace ovni::test
