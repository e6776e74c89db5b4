// Converts texts of traces, which may be any bytes, to valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// The text with U+FFFD for invalid bytes: one for the longest prefix of a character, one for a byte that
// begins none (Unicode 15, 3.9, "maximal subpart"). Python and the JSON of reports use this rule, too.
std::string valid_utf8(std::string_view text);

}  // namespace ovni
