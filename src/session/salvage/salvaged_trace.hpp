// A damaged trace without everything that contradicts the rest: --keep-going.
#pragma once

#include <filesystem>
#include <vector>

#include "emu/plan/plan.hpp"
#include "trace/salvage.hpp"

namespace ovni {

// `streams`: those that can be read by themselves. Leaves out streams of other runs than the one with most
// streams, or the first of several such runs. Then leaves out one stream after the other until looms,
// processes and models agree, so that System and make_plan() of the result throw for none of its streams.
// Streams that do not declare what a breakdown needs are not damaged. Sorts `damages`.
Trace salvaged_trace(const std::filesystem::path& directory, std::vector<Stream> streams,
                     EnabledModels enabled, std::vector<Damage>& damages);

}  // namespace ovni
