// Names that ovnirun does not know, with the one that may be meant.
#pragma once

#include <string>
#include <string_view>

namespace ovni::run {

// Does what proposal() of base/nearest.hpp does: the function may be named with MPI_ or without.
std::string proposal_of_function(std::string_view word);

// A variable OVNI_NAME of the environment that nothing reads is a misspelled one. Prints a line for each.
void tell_unknown_variables();

}  // namespace ovni::run
