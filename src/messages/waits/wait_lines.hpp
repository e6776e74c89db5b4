// Waits as lines for people.
#pragma once

#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/waits/find_waits.hpp"

namespace ovni {

// A table by kind, one by the ranks that wait and those that are late, and the longest single waits.
// `origin`: of time.
std::vector<std::string> wait_lines(const WaitSummary& waits, const System& system, int64_t origin);

}  // namespace ovni
