// Punctual states: shown for 1 ns, then the row shows again what it showed before.
#include "model/state_events.hpp"
#include "tests/language/language_test.hpp"

namespace ovni::test {
namespace {

using PunctualTest = LanguageTest;

TEST_F(PunctualTest, APunctualStateIsShownOverTheTopOfAStack) {
    thread()
        .starts(10)
        .event("XP[", 20)
        .event("XQ[", 25)
        .event("XPi", 30)
        .event("XQ]", 40)
        .event("XPi", 45)
        .event("XP]", 50)
        .ends(60);
    accept();
    EXPECT_THAT(lines("thread.prv", 300),
                ElementsAre("1:0:300:0", "1:10:300:1", "1:15:300:2", "1:19:300:3", "1:20:300:2", "1:30:300:1",
                            "1:34:300:3", "1:35:300:1", "1:40:300:0", "1:50:300:9"));
    EXPECT_THAT(lines("cpu.prv", 300),
                ElementsAre("1:0:300:0", "1:10:300:1", "1:15:300:2", "1:19:300:3", "1:20:300:2", "1:30:300:1",
                            "1:34:300:3", "1:35:300:1", "1:40:300:0"));
    for (const char* file : {"thread.pcf", "cpu.pcf"}) EXPECT_THAT(text(file), HasSubstr("3    Checkpoint"));
}

// It begins not before the last line of its channel, and the second of an instant takes the first one's end.
TEST_F(PunctualTest, BeginsAfterTheLastLineOfItsChannel) {
    thread()
        .starts(10)
        .event("XPi", 10)
        .event("XP[", 20)
        .event("XPi", 20)
        .event("XPi", 30)
        .event("XPi", 30)
        .ends(40);
    accept();
    for (const char* file : {"thread.prv", "cpu.prv"}) {
        Lines shown = lines(file, 300);
        ASSERT_GE(shown.size(), 9u);
        shown.resize(9);
        EXPECT_THAT(shown, ElementsAre("1:0:300:0", "1:0:300:3", "1:0:300:0", "1:10:300:1", "1:10:300:3",
                                       "1:10:300:1", "1:19:300:3", "1:20:300:3", "1:20:300:1"));
    }
}

TEST_F(PunctualTest, StatesAloneInTheirChannelAreShownWithAndWithoutArguments) {
    thread().starts(10).event("XSi", 20).event("XSd", 30, {u64(0x1000), u64(0)}).ends(40);
    accept();
    for (const char* file : {"thread.prv", "cpu.prv"})
        EXPECT_THAT(lines(file, 301),
                    ElementsAre("1:0:301:0", "1:9:301:1", "1:10:301:0", "1:19:301:2", "1:20:301:0"));
}

// The row of the thread shows the mood always, that of the CPU while the thread runs.
TEST_F(PunctualTest, EveryRowGoesBackToWhatItShows) {
    thread()
        .starts(10)
        .event("XMs", 20)
        .event("OHc", 30)
        .event("XMi", 40)
        .event("OHp", 45)
        .event("OHr", 50)
        .event("XMi", 60)
        .event("XMc", 70)
        .ends(80);
    accept();
    EXPECT_THAT(lines("thread.prv", 303), ElementsAre("1:10:303:1", "1:29:303:2", "1:30:303:1", "1:49:303:2",
                                                      "1:50:303:1", "1:60:303:0"));
    EXPECT_THAT(lines("cpu.prv", 303), ElementsAre("1:0:303:0", "1:10:303:1", "1:20:303:0", "1:40:303:1",
                                                   "1:49:303:2", "1:50:303:1", "1:60:303:0"));
}

TEST_F(PunctualTest, APunctualStateIsNotShownWhileItsChannelIsDisabled) {
    thread()
        .starts(10)
        .event("XP[", 20)
        .event("OHc", 30)
        .event("XPi", 40)
        .event("OHp", 50)
        .event("OHr", 60)
        .ends(70);
    accept();
    for (const char* file : {"thread.prv", "cpu.prv"})
        for (const std::string& line : lines(file, 300)) EXPECT_THAT(line, Not(testing::EndsWith(":3")));
}

// Another thread wrote the last line of the CPU row, 1 ns before.
TEST_F(PunctualTest, ComesAfterTheLastLineOfItsCpu) {
    thread({.tid = 1, .cpus = {{0, 0}, {1, 1}}})
        .starts(10, 1)
        .event("XP[", 11)
        .event("OAs", 12, {0})
        .event("XPi", 20)
        .ends(40);
    thread({.tid = 2, .cpus = {}}).starts(13, 0).ends(19);
    accept();
    EXPECT_THAT(lines("cpu.prv", 300),
                ElementsAre("2:0:300:0", "2:1:300:1", "2:2:300:0", "1:2:300:1", "1:3:300:777", "1:9:300:1",
                            "1:9:300:3", "1:10:300:1", "1:30:300:0"));
}

// Writer and ovnicut open again what is open: never a punctual state.
TEST_F(PunctualTest, BelongsToNoOpenState) {
    for (const char* code : {"XPi", "XSi", "XSd", "XHi", "XMi"}) {
        EXPECT_TRUE(find_event(EventCode::from_chars(code)).event) << code;
        EXPECT_FALSE(find_state_event(EventCode::from_chars(code))) << code;
    }
    EXPECT_TRUE(find_state_event("XP[") && find_state_event("XMs"));
}

TEST_F(PunctualTest, APunctualStateIsNotOpenAtTheBeginOfACut) {
    thread()
        .starts(10)
        .event("XP[", 20)
        .event("XMs", 20)
        .event("XPi", 25)
        .event("XSi", 26)
        .event("XMi", 27)
        .event("XPi", 50)
        .event("XP]", 60)
        .ends(70);
    std::filesystem::path cut = trace().write().parent_path() / "cut";
    Finished done =
        run({example_program("ovnicut"), trace().path().string(), "-o", cut.string(), "--from", "30ns"});
    ASSERT_EQ(done.status, 0) << done.err;
    Finished dumped = run({example_program("ovnidump"), cut.string()});
    for (const char* code : {"  XSi", "  XMi"}) EXPECT_THAT(dumped.out, Not(HasSubstr(code)));
    EXPECT_THAT(dumped.out, HasSubstr("  XMs"));
    EXPECT_EQ(dumped.out.find("  XPi"), dumped.out.rfind("  XPi")) << dumped.out;
    EXPECT_EQ(run({example_program("ovniemu"), "-l", cut.string()}).status, 0);
}

TEST_F(PunctualTest, AGapEndsTheStatesBelowIt) {
    thread().starts(10).event("XP[", 20).event("XPi", 30).gap(30, 40).event("XPi", 50).event("XP]", 60).ends(
        70);
    accept();
    Lines shown = lines("thread.prv", 300);
    ASSERT_GE(shown.size(), 6u);
    shown.resize(6);
    EXPECT_THAT(shown, ElementsAre("1:0:300:0", "1:10:300:1", "1:19:300:3", "1:20:300:1", "1:20:300:0",
                                   "1:39:300:3"));
}

}  // namespace
}  // namespace ovni::test
