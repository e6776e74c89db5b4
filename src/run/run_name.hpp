// The name of a run that MPI_Init does not name: OVNI_RUN, else one that all processes of a launcher's job
// have, else that of the ovnirun that this one runs below, else batch job, time and process.
#pragma once

#include "ring/session.hpp"

namespace ovni::run {

void write_run_name(writer::SessionHeader& session);

}  // namespace ovni::run
