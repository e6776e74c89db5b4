// Traces that were moved away: MPI_Init moves that of an earlier run from DIR to DIR.1, DIR.2 and so on.
// Events that the earlier run left in memory belong there.
#pragma once

#include "ring/session.hpp"

namespace ovni::run {

// Corrects the notes of these rings. A note whose directory holds another run by now gets the directory of
// its own run, or a free name if there is none yet.
void follow_moved_traces(const writer::Session& session);

}  // namespace ovni::run
