// The first of two passes over a trace that is cut: what every stream of the new trace begins with, ends
// with, and which of its events have to change. All streams are read in the order of their clocks, because a
// thread depends on others: their events may move it to a CPU, or create the tasks that it runs.
//
// The events that open states again lie before `from`, in 3 ns, so that what other streams do at that clock
// comes later in any order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cut/cut_options.hpp"
#include "cut/thread_shadow.hpp"
#include "emu/plan/system.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct StreamCut {
    bool is_kept = false;
    bool ends_inside = false;                          // its end by force (ovni.end) lies in the part
    std::string opening;                               // events before those of the stream
    std::optional<Gap> gap;                            // among them, with the offset in `opening`
    std::string closing;                               // events behind those of the stream
    int64_t raw_from = INT64_MIN, raw_to = INT64_MAX;  // the part by the stream's own clock
    // Both name an event by its number among the events of the stream that the models keep. `inserted`: what
    // is written before that event. `dropped`: events that are left out, because they move a thread that is
    // not in the part or has moved already.
    std::map<uint64_t, std::string> inserted;
    std::set<uint64_t> dropped;
};

struct CutPlan {
    int64_t origin = 0;                        // corrected clock of the first event of the trace
    int64_t from = INT64_MIN, to = INT64_MAX;  // corrected clocks
    std::vector<StreamCut> streams;            // by index in the trace
};

// Throws Error for a damaged trace, a rank or loom that is not there, and an empty part.
CutPlan plan_cut(const Trace& trace, const System& system, const ClockModel& clocks,
                 const CutOptions& options);

}  // namespace ovni
