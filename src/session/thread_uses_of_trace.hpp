// What threads of a whole trace did, for tools that write no outputs: all events are played once more.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "emu/plan/system.hpp"
#include "messages/analysis.hpp"
#include "messages/hybrid/thread_use.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct ThreadUsesOfTrace {
    ThreadUseFacts uses;                              // nothing if no process has several threads
    std::map<int64_t, std::string> parallel_regions;  // labels by value
};

// `traffic`: of the trace, or null if it has no MPI; only waits, borders and the path are read. `origin`: the
// clock of time 0. If an event is wrong, what comes before it counts, and an error is printed. Throws Error.
ThreadUsesOfTrace thread_uses_of(const Trace& trace, const System& system, const ClockModel& clocks,
                                 int64_t origin, const TrafficAnalysis* traffic);

}  // namespace ovni
