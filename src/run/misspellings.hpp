// Unknown names in the user's settings, and proposals for them.
#pragma once

#include <string>
#include <string_view>

#include "region/chain_text.hpp"

namespace ovni::run {

// As proposal() of base/nearest.hpp, for an MPI function with or without the prefix MPI_.
std::string proposal_of_function(std::string_view word);

// The known names most like an unknown name in a chain, or all known names if none is like it. Empty if the
// error is about no name.
std::string proposal_for(const region::Error& error);

// Prints a line for each variable OVNI_NAME of the environment that nothing reads, because it is probably
// misspelled.
void warn_about_unknown_variables();

}  // namespace ovni::run
