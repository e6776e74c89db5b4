// The facts about threads of all processes, put together.
#pragma once

#include <span>
#include <vector>

#include "messages/hybrid/thread_use.hpp"

namespace ovni {

// Programs that only start ranks, such as shells, are no part of the run: leaves them out if there are ranks.
void leave_out_starters(ThreadUseFacts& facts);

// All processes together, by label. `process` is the one that loses most.
std::vector<ConstructUse> sums_by_label(std::span<const ConstructUse> constructs);

}  // namespace ovni
