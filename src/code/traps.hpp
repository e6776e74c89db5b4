// Handles traps: of sites, of jumps that replace them, of threads that are requested to enter translated
// code. Passes other traps to the program.
#pragma once

#include "code/cache/translated_threads.hpp"
#include "code/sites.hpp"

namespace ovni::code {

// Call once. Returns false if the system refuses. report() is called for each site that is hit.
// `has_int3_alarms`: an alarm waits for an int3 of the program.
bool handle_traps(Sites& planted, ReportSite report, bool has_int3_alarms) noexcept;
// Handles SIGILL, too: see jump_patch.hpp.
bool handle_illegal_instructions() noexcept;

}  // namespace ovni::code
