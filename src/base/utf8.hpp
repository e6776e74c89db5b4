// Valid UTF-8 from texts of traces, which may be any bytes.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// The text with U+FFFD in place of invalid bytes: one for the longest beginning of a character, one for a
// byte that begins none (Unicode 15, 3.9, "maximal subpart"). Python and the JSON of reports do so, too.
std::string valid_utf8(std::string_view text);

}  // namespace ovni
