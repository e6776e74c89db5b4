// Texts of traces may be any bytes; outputs that promise UTF-8 keep that.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// The text with U+FFFD for what is no UTF-8: the longest beginning of a character, or a byte that begins
// none, is one (Unicode 15, 3.9, "maximal subpart"; so do Python and the JSON of reports).
std::string valid_utf8(std::string_view text);

}  // namespace ovni
