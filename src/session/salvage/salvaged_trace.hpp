// A damaged trace of which everything is left out that contradicts the rest: --keep-going.
#pragma once

#include <filesystem>
#include <vector>

#include "emu/plan/plan.hpp"
#include "trace/salvage.hpp"

namespace ovni {

// `streams`: those that can be read by themselves. Leaves out those of other runs than the one with most
// streams, the first of them where there are several; then one after the other until looms, processes and
// models agree, so that System and make_plan() of the result throw no more for one of its streams; but
// streams that do not declare what a breakdown needs are not damaged. Sorts `damages`.
Trace salvaged_trace(const std::filesystem::path& directory, std::vector<Stream> streams,
                     EnabledModels enabled, std::vector<Damage>& damages);

}  // namespace ovni
