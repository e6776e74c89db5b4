// Twins are ranks or looms that exist twice in a trace. That is legal, but the streams may be of two runs, or
// of two hosts with one name.
#pragma once

#include "emu/plan/system.hpp"

namespace ovni {

// Warns about a rank that is in two looms, and about a loom that two hosts have recorded.
void warn_of_twins(const Trace& trace, const System& system);

}  // namespace ovni
