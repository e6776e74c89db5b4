// Waits as one row of a timeline shows them: of two that overlap the earlier one is shown, but a run of
// failed tests ends where another wait begins in it.
#pragma once

#include <vector>

#include "messages/traffic_rows.hpp"

namespace ovni {

// `waits`: of whole threads, in any order. Returns those that are left, in the order of keys.
std::vector<WaitRow> shown_waits(std::vector<WaitRow> waits);

}  // namespace ovni
