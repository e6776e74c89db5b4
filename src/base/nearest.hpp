// Proposals for misspelled names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ovni {

// " (did you mean 'NAME'?)" with the known name most similar to `word`, without regard to case; empty if none
// is similar. The distance is the number of letters added, omitted, changed, or swapped with the next. Among
// names of equal distance, the one with the longest common prefix is chosen. `shared`: length of the prefix
// that the word and all names share.
std::string proposal(std::string_view word, std::span<const std::string> known, size_t shared = 0);

// Up to `most` names, the nearest first: " (did you mean 'NAME', 'NAME' or 'NAME'?)".
std::string proposals(std::string_view word, std::span<const std::string> known, size_t most,
                      size_t shared = 0);

}  // namespace ovni
