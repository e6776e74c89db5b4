// Arguments that are no integers as ovnidump prints them, and what ovnievents says of the tables.
#include <cstring>

#include "tests/language/language_test.hpp"

namespace ovni::test {
namespace {

using DescriptionsTest = LanguageTest;

template <class Float>
Argument bits(Float value) {
    return {&value, sizeof value};
}

TEST_F(DescriptionsTest, FloatsAddressesAndCharactersArePrinted) {
    thread()
        .starts(10)
        .event("XSd", 20, {u64(0x7f00beef), bits(0.75)})
        .event("XKp", 30, {u8('k'), u8('\n'), bits(0.1f)})
        .ends(40);
    std::string out = dump();
    EXPECT_THAT(out, HasSubstr("  signal reaches the handler at 0x7f00beef, load 0.75\n"));
    EXPECT_THAT(out, HasSubstr("  key 'k', then '\\x0a', with force 0.1\n"));
}

TEST_F(DescriptionsTest, ATruncatedPayloadIsNotReadBeyond) {
    thread().starts(10).event("XSd", 20, {u64(16), u32(1)}).event("XKp", 30, {u8('k'), u8('l')}).ends(40);
    std::string out = dump();
    EXPECT_THAT(out, HasSubstr("at 0x10, load <missing>\n"));
    EXPECT_THAT(out, HasSubstr("key 'k', then 'l', with force <missing>\n"));
    accept();
}

TEST_F(DescriptionsTest, OvnieventsPrintsEventsAndChannels) {
    Finished printed = run({example_program("ovnievents")});
    ASSERT_EQ(printed.status, 0) << printed.err;
    for (const char* part :
         {"## Model example\n", "and 14 events", "<dd>instant: Checkpoint</dd>", "<dd>begin: Compute</dd>",
          "<pre>XSd(ptr handler, f64 load)</pre>",
          "\n| 300 | Phase | stack | while running | 9 Off its CPU | of the active thread | 3 Checkpoint |\n",
          "\n| 301 | Signal | punctual | while active | nothing | of the running thread | 1 Raised, 2 "
          "Delivered |\n",
          "\n| 302 | Secret | single | while active | nothing | none | 5 Glimpse |\n",
          "\n| 303 | Mood | single | always |  | of the running thread | 2 Startled |\n"})
        EXPECT_THAT(printed.out, HasSubstr(part));
}

}  // namespace
}  // namespace ovni::test
