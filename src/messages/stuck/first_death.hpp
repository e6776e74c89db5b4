// The process that ended first, of a program that did not end in order: a launcher kills the others then, so
// it is the one to look at.
#pragma once

#include <string>

#include "messages/stuck/waiting.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

// "killed first: rank 3 (process 812), by signal 11 (Segmentation fault)", "ended first: ..., which exited
// with code 3", or, if a process has called it, "rank 3 (process 812) called MPI_Abort with code 17". Empty
// if all ended in order, or if clocks are not exact enough to tell. `waiting`: the calls that are open at the
// end.
std::string first_death(const Trace& trace, const ClockModel& clocks, const Waiting& waiting);

}  // namespace ovni
