// ovnidump --wait: what one wait was found from, so that it can be followed by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/analysis.hpp"
#include "source/call_sites.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct TraceOfWait {
    const Trace& trace;
    const System& system;
    const CallSites& sites;
    int64_t origin;  // of time
};

// The wait of that number, from 1, among the longest ones of the trace; then both ends of each message that
// its call completes, or all members of its collective. Ends have the place of their event in its stream.
// Throws Error if there are fewer waits.
std::vector<std::string> sources_of_wait(const TrafficAnalysis& traffic, const TraceOfWait& of,
                                         size_t number);

}  // namespace ovni
