// Traps: of sites, of jumps in their place, of threads that are asked to enter translated code, and of the
// program itself, which gets its own.
#pragma once

#include "code/cache/translated_threads.hpp"
#include "code/sites.hpp"

namespace ovni::code {

// Call once. Returns false if the system refuses. report() is called for each site that is hit;
// `has_int3_alarms`: an int3 of the program is what an alarm waits for.
bool handle_traps(Sites& planted, ReportSite report, bool has_int3_alarms) noexcept;
// SIGILL is ours, too: jump_patch.hpp says why.
bool handle_illegal_instructions() noexcept;

}  // namespace ovni::code
