// The event types of the counters that the streams of a trace name (ovni.counters): one type per name, equal
// on all ranks, because all know the metadata of all streams.
#pragma once

#include "emu/plan/plan.hpp"

namespace ovni {

// Adds types for the counters to a plan. Throws Error for a counter with an unknown name.
void add_instants(Plan& plan, const Trace& trace, const System& system);

}  // namespace ovni
