// The call sites of a trace, with names that rank 0 finds: only its node may have the files of the program.
#pragma once

#include "base/ranks.hpp"
#include "source/call_sites.hpp"

namespace ovni {

// Collective; alike on all ranks.
CallSites read_call_sites(const Ranks& ranks, const Trace& trace);

}  // namespace ovni
