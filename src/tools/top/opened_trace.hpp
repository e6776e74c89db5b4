// A trace as tables of ovnitop read it.
#pragma once

#include "cut/trace_part.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Warns about events that are in no table. Throws Error if nothing is there.
Trace open_for_table(const TracePart& part, Metadata metadata = Metadata::interpreted);

}  // namespace ovni
