// The files that an emulator would write, and whether it may.
#pragma once

#include "session/command/options.hpp"

namespace ovni {

// All that may be written, also the names for what is partial. Throws what check_outputs() of base/ throws,
// and Error for an output at the place of a file of a stream. Needs nothing but names: to be called before
// the trace is read.
void check_outputs(const EmulationOptions& options);

}  // namespace ovni
