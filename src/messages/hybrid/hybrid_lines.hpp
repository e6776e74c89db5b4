// Hybrid efficiencies as tables for people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/hybrid/hybrid_efficiency.hpp"
#include "messages/hybrid/thread_use.hpp"

namespace ovni {

// The factors of the run, then the regions, and the shares of each rank in the run.
std::vector<std::string> hybrid_lines(const std::vector<HybridEfficiency>& all, const ThreadUseFacts& uses,
                                      const System& system, const std::map<int64_t, std::string>& regions);

// Parallel regions of OpenMP, those of all ranks together, with most lost time first. `labels`: by value.
std::vector<std::string> construct_lines(const std::vector<ConstructUse>& constructs, const System& system,
                                         const std::map<int64_t, std::string>& labels);

}  // namespace ovni
