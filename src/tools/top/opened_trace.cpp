#include "tools/top/opened_trace.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"
#include "trace/gaps.hpp"

namespace ovni {

namespace {

// Events that were not recorded are in no table.
void warn_about_lost_events(const Trace& trace) {
    uint64_t lost = 0;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        try {
            for (const Gap& gap : read_gaps(trace.files_of(s))) lost += gap.lost;
        } catch (const Error&) {  // reported when the stream is read
        }
    }
    if (lost > 0) log::warn("events that were lost, and are in no table: {}", lost);
}

}  // namespace

Trace open_for_table(const TracePart& part, Metadata metadata) {
    Trace trace = part.open(metadata);
    refuse_no_trace(trace);
    warn_about_left_events(trace);
    warn_about_lost_events(trace);
    return trace;
}

}  // namespace ovni
