#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace ovni::test {
namespace {

TEST(Printable, ALineHasNoControlCharacters) {
    EXPECT_EQ(one_line("a\nEVENT_TYPE\r\x1b[2J\x7f"), "a EVENT_TYPE  [2J ");
    EXPECT_EQ(one_line("tab\there"), "tab\there");
    EXPECT_EQ(one_line("\xc2\x9b[2J"), " [2J");
    EXPECT_EQ(one_line("na\xc3\xafve \xff"), "na\xc3\xafve \xef\xbf\xbd");
}

TEST(Printable, AMessageShowsControlCharacters) {
    EXPECT_EQ(message_text("a \x1b[31mred"), "a \\x1b[31mred");
    EXPECT_EQ(message_text("\xc2\x9b"), "\\xc2\\x9b");
    EXPECT_EQ(message_text("a\rb"), "a\\x0db");
}

TEST(Printable, NoTextMakesALineThatLooksLikeAMessage) {
    EXPECT_EQ(message_text("label\novniemu: INFO: all is well"), "label\n    ovniemu: INFO: all is well");
    EXPECT_EQ(message_text("two lines\n  indented"), "two lines\n  indented");
}

}  // namespace
}  // namespace ovni::test
