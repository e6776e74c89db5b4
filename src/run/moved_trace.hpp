// MPI_Init moves the trace of an earlier run away, from DIR to DIR.1, DIR.2 and so on. What that run left in
// memory belongs there.
#pragma once

#include "ring/session.hpp"

namespace ovni::run {

// Where a note beside these rings names a directory that another run has by now, it gets that of its own run;
// where there is none yet, one that is free.
void follow_moved_traces(const writer::Session& session);

}  // namespace ovni::run
