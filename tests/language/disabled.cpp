// The value that a thread row shows while its tracking disables a channel.
#include "tests/language/language_test.hpp"

namespace ovni::test {
namespace {

using DisabledTest = LanguageTest;

TEST_F(DisabledTest, TheDisabledValueIsShownUntilTheChannelIsEnabledAgain) {
    thread()
        .starts(10)
        .event("XP[", 20)
        .event("OHp", 30)
        .event("OHr", 40)
        .event("XP]", 50)
        .event("OHc", 60)
        .event("OHp", 70)
        .event("OHr", 80)
        .ends(90);
    accept();
    EXPECT_THAT(lines("thread.prv", 300),
                ElementsAre("1:0:300:0", "1:10:300:1", "1:20:300:9", "1:30:300:1", "1:40:300:0", "1:50:300:9",
                            "1:70:300:0", "1:80:300:9"));
    EXPECT_THAT(text("thread.pcf"), HasSubstr("9    Off its CPU"));
    EXPECT_THAT(text("cpu.pcf"), Not(HasSubstr("Off its CPU")));
}

// The thread never runs.
TEST_F(DisabledTest, TheDisabledValueHasNoLabelIfNoLineShowsIt) {
    thread({.tid = 1}).event("OU[", 10).event("OU]", 20);
    run({example_program("ovniemu"), trace().write().string()});
    EXPECT_THAT(lines("thread.prv", 300), IsEmpty());
    EXPECT_THAT(text("thread.pcf"), HasSubstr("Phase of the RUNNING thread"));
    EXPECT_THAT(text("thread.pcf"), Not(HasSubstr("Off its CPU")));
}

TEST_F(DisabledTest, TheDisabledValueIsNotShownInAGap) {
    thread().starts(10).event("XP[", 20).event("OHp", 25).gap(30, 40).event("OHr", 50).ends(60);
    accept();
    EXPECT_THAT(lines("thread.prv", 300), ElementsAre("1:0:300:0", "1:10:300:1", "1:15:300:9", "1:20:300:0",
                                                      "1:30:300:9", "1:40:300:0", "1:50:300:9"));
}

// A channel without such a value shows nothing.
TEST_F(DisabledTest, ADisabledChannelShowsNothingByDefault) {
    thread().starts(10).event("XHs", 20).event("OHp", 30).event("OHr", 40).ends(50);
    accept();
    EXPECT_THAT(lines("thread.prv", 302),
                ElementsAre("1:0:302:0", "1:10:302:4", "1:20:302:0", "1:30:302:4", "1:40:302:0"));
}

}  // namespace
}  // namespace ovni::test
