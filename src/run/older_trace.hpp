// Programs without MPI: ovnirun moves the trace of an earlier run away, as MPI_Init does for jobs.
#pragma once

#include <string>

namespace ovni::run {

// True if OVNI_APPEND is set: the program continues the existing trace.
bool appends_to_trace();

// Moves looms and the emulator's outputs to DIRECTORY.1, .2, ... if a stream there belongs to a run with
// another name. Does not move streams of programs without a run name. Does nothing with OVNI_APPEND. Warns if
// moving fails.
void move_older_trace(const std::string& directory, const std::string& run);

}  // namespace ovni::run
