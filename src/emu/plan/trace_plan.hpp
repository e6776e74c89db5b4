// The parts of a plan that the trace itself defines in its metadata: marks, hardware counters, and breakdowns
// as far as its threads are suited. All throw Error for metadata that contradicts itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "emu/plan/plan.hpp"

namespace ovni {

// Names by MarkKind, as in stream.json except for punctual ones, which are single there.
inline constexpr std::array mark_kind_names = {"single", "stack", "punctual"};

// Adds the channel of call sites, if the trace has any.
void add_call_sites(Plan& plan, CallSites sites);
void add_marks(Plan& plan, const Trace& trace, const System& system);
void add_counters(Plan& plan, const Trace& trace, const System& system);
// The name of its output; `model` is one that has a breakdown.
std::string breakdown_name(const ModelSpec& model);

// `model` is one that has a breakdown.
void add_breakdown(Plan& plan, const ModelPlan& model, const Trace& trace, const System& system);

}  // namespace ovni
