// Finds traces that were moved away: MPI_Init moves the trace of an earlier run from DIR to DIR.1, DIR.2 and
// so on. Events that the earlier run left in memory belong there.
#pragma once

#include <string>
#include <vector>

#include "ring/session.hpp"

namespace ovni::run {

struct MovedTrace {
    std::string from, to, run;
};

// Corrects the notes of the session's rings. If the directory in a note holds another run by now, it is
// replaced by the directory of the note's run, or by a free name if there is none yet. Streams without a run
// name belong to any run. Returns the directories that were replaced.
std::vector<MovedTrace> follow_moved_traces(const writer::Session& session);

// Prints the moved traces that have streams of their runs. Call when the rings are drained.
void print_moved_traces(const std::vector<MovedTrace>& moved);

}  // namespace ovni::run
