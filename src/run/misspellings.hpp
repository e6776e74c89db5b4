// Names that ovnirun does not know, with the one that may be meant.
#pragma once

#include <string>
#include <string_view>

#include "region/chain_text.hpp"

namespace ovni::run {

// Does what proposal() of base/nearest.hpp does: the function may be named with MPI_ or without.
std::string proposal_of_function(std::string_view word);

// The names that may be meant by the unknown one in a chain, or all that there are if none is like it; empty
// if the error is about no name.
std::string proposal_for(const region::Error& error);

// A variable OVNI_NAME of the environment that nothing reads is a misspelled one. Prints a line for each.
void warn_about_unknown_variables();

}  // namespace ovni::run
