// The name of a run that MPI_Init does not name: OVNI_RUN, else a name common to the launcher's job, else the
// name of an outer ovnirun, else batch job, time and process.
#pragma once

#include "ring/session.hpp"

namespace ovni::run {

void write_run_name(writer::SessionHeader& session);

}  // namespace ovni::run
