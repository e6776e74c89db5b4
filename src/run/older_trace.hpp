// Programs without MPI: ovnirun moves the trace of an earlier run away, as MPI_Init does for jobs.
#pragma once

#include <string>

namespace ovni::run {

// OVNI_APPEND: the program goes on with the trace that is there.
bool appends_to_trace();

// Moves looms and what the emulator made of them to DIRECTORY.1, .2, ... if a stream there is of a run with
// another name. Streams of programs that name no run stay, and so does all with OVNI_APPEND. Warns if that is
// impossible.
void move_older_trace(const std::string& directory, const std::string& run);

}  // namespace ovni::run
