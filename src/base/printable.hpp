// Texts of traces and names of files, which may have any bytes, where they are printed. Control characters
// could make lines of their own, or move the cursor of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// The text as a part of a line, valid UTF-8: a blank in place of each control character but the tab.
std::string one_line(std::string_view text);

// The text as a terminal may get it: control characters as "\x1b", but for line ends, behind which lines are
// indented.
std::string message_text(std::string_view text);

}  // namespace ovni
