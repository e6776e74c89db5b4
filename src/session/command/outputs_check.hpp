// The files that an emulator would write, and whether it may.
#pragma once

#include "session/command/options.hpp"

namespace ovni {

// Checks all files that may be written, also partial ones. Throws what check_outputs() of base/ throws, and
// Error for an output at the place of a file of a stream. Needs only names: call it before the trace is read.
void check_outputs(const EmulationOptions& options);

}  // namespace ovni
