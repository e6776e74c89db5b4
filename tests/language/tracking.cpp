// CPU rows show nothing, the channel of the running or active thread, or an error state.
#include "tests/language/language_test.hpp"

namespace ovni::test {
namespace {

using CpuTrackingTest = LanguageTest;

TEST_F(CpuTrackingTest, AnUntrackedChannelIsAbsentFromCpuRows) {
    thread().starts(10).event("XHs", 20).event("XHi", 30).event("XHc", 40).ends(50);
    accept();
    EXPECT_THAT(lines("thread.prv", 302),
                ElementsAre("1:0:302:0", "1:10:302:4", "1:19:302:5", "1:20:302:4", "1:30:302:0"));
    EXPECT_THAT(lines("cpu.prv", 302), IsEmpty());
    EXPECT_THAT(text("thread.pcf"), HasSubstr("Secret of the ACTIVE thread"));
    EXPECT_THAT(text("cpu.pcf"), Not(HasSubstr("Secret")));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("Mood of the RUNNING thread"));
    EXPECT_TRUE(std::filesystem::exists(trace().path() / "cfg/thread/example/secret.cfg"));
    EXPECT_FALSE(std::filesystem::exists(trace().path() / "cfg/cpu/example/secret.cfg"));
}

// The CPU row follows the active thread, whose channel is disabled while it cools down.
TEST_F(CpuTrackingTest, ADisabledChannelOfTheOnlyThreadIsBad) {
    thread()
        .starts(10)
        .event("XP[", 20)
        .event("OHc", 30)
        .event("OHp", 40)
        .event("OHw", 50)
        .event("OHr", 60)
        .event("XP]", 70)
        .ends(80);
    accept();
    EXPECT_THAT(lines("cpu.prv", 300), ElementsAre("1:0:300:0", "1:10:300:1", "1:20:300:666", "1:30:300:0",
                                                   "1:40:300:666", "1:50:300:1", "1:60:300:0"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("Phase of the ACTIVE thread"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("666  Error: bad"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("666 {255,   0, 255}"));
    EXPECT_THAT(text("thread.pcf"), Not(HasSubstr("666")));
}

TEST_F(CpuTrackingTest, SeveralThreadsAreAnErrorState) {
    thread({.tid = 1}).starts(10).event("XP[", 12).event("XSi", 15).event("XMs", 16).ends(40);
    thread({.tid = 2, .cpus = {}}).starts(20).event("XSi", 25).ends(30);
    accept();
    EXPECT_THAT(lines("cpu.prv", 300),
                ElementsAre("1:0:300:0", "1:2:300:1", "1:10:300:777", "1:20:300:1", "1:30:300:0"));
    EXPECT_THAT(lines("cpu.prv", 301),
                ElementsAre("1:0:301:0", "1:4:301:1", "1:5:301:0", "1:10:301:777", "1:20:301:0"));
    EXPECT_THAT(lines("cpu.prv", 303),
                ElementsAre("1:0:303:0", "1:6:303:1", "1:10:303:777", "1:20:303:1", "1:30:303:0"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("777  Error: too many threads"));
    EXPECT_THAT(text("cpu.pcf"), HasSubstr("777 {255,   0,   0}"));
}

TEST_F(CpuTrackingTest, ErrorStatesHaveNoLabelIfNoLineShowsThem) {
    thread().starts(10).event("XP[", 20).event("XP]", 30).ends(40);
    accept();
    for (const char* state : {"Error", "666", "777"}) EXPECT_THAT(text("cpu.pcf"), Not(HasSubstr(state)));
}

}  // namespace
}  // namespace ovni::test
