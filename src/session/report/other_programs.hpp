// Programs that ran beside the job on the CPUs of its ranks, by what the ranks saw there from MPI_Init to
// MPI_Finalize.
#pragma once

#include <optional>

#include "emu/plan/system.hpp"
#include "messages/short/in_short.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The CPUs of a node of which other programs took most. Nothing if they took less than a tenth, or if CPUs
// were idle, or no rank had to leave its CPU often: then they did no harm.
std::optional<ShortSources::OtherPrograms> find_other_programs(const Trace& trace, const System& system);

}  // namespace ovni
