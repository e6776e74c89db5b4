// Twins exist twice and should exist once: legal, but the streams may be of two runs, or of two hosts with
// one name.
#pragma once

#include "emu/plan/system.hpp"

namespace ovni {

// Warns of a rank that is in two looms, and of a loom that two hosts have recorded.
void warn_of_twins(const Trace& trace, const System& system);

}  // namespace ovni
