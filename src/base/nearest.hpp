// Misspelled names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ovni {

// " (did you mean 'NAME'?)" with the known name that is most like `word`, whatever its capitals; empty if
// none is like it. The distance counts letters that are added, left out, changed, or swapped with the next;
// of names that are as far the one with the longer common begin counts. `shared`: letters with which the word
// and all names begin.
std::string proposal(std::string_view word, std::span<const std::string> known, size_t shared = 0);

// Names up to `most` of them, the nearest first: " (did you mean 'NAME', 'NAME' or 'NAME'?)".
std::string proposals(std::string_view word, std::span<const std::string> known, size_t most,
                      size_t shared = 0);

}  // namespace ovni
