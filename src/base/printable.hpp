// Printable forms of trace texts and file names, which may have any bytes. Control characters could begin new
// lines, or move the cursor of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// The text as a part of a line, in valid UTF-8, with a blank for each control character except the tab.
std::string one_line(std::string_view text);

// The text for a terminal: control characters as "\x1b", except for line ends, after which lines are
// indented.
std::string message_text(std::string_view text);

}  // namespace ovni
