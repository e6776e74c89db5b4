// Traces that were moved away: MPI_Init moves that of an earlier run from DIR to DIR.1, DIR.2 and so on.
// Events that the earlier run left in memory belong there.
#pragma once

#include <string>
#include <vector>

#include "ring/session.hpp"

namespace ovni::run {

struct MovedTrace {
    std::string from, to, run;
};

// Corrects the notes of these rings. A note whose directory holds another run by now gets the directory of
// its own run, or a free name if there is none yet. Streams that name no run belong to any. Returns where
// notes lead elsewhere.
std::vector<MovedTrace> follow_moved_traces(const writer::Session& session);

// Reports those that have streams of their runs. Call when the rings are drained.
void print_moved_traces(const std::vector<MovedTrace>& moved);

}  // namespace ovni::run
