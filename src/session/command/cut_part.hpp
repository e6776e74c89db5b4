// The part of a trace that an emulation is to show, if its options choose one: it is cut into private files
// next to the outputs, and emulated from there.
#pragma once

#include <memory>

#include "cut/trace_part.hpp"
#include "session/command/options.hpp"

namespace ovni {

// Cuts the part, and sets its place in `options`. The files are removed with the result, which is null for a
// whole trace. Throws Error.
std::unique_ptr<TracePart> cut_part(EmulationOptions& options);

}  // namespace ovni
