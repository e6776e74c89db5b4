// The content of a report for tools that write no outputs: all events are played once more.
#pragma once

#include <cstdint>

#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "messages/analysis.hpp"
#include "session/report/report.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct PlayedReport {
    Plan plan;  // with all labels in its schema
    ReportContent content;
};

// `traffic`: of the trace, whose messages and summaries are used up; null: none is needed. `origin`: the
// clock of time 0. `sites`: of the trace. If an event is wrong, the content has the error, and what comes
// before it. Throws Error.
PlayedReport play_for_report(const Trace& trace, const System& system, const ClockModel& clocks,
                             int64_t origin, CallSites sites, TrafficAnalysis* traffic);

}  // namespace ovni
