// Delay costs as lines for people.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/costs/delay_costs.hpp"

namespace ovni {

// A table by rank, function and region, the costliest first. `regions`: names by value.
std::vector<std::string> delay_lines(std::vector<DelayCost> costs, const System& system,
                                     const std::map<int64_t, std::string>& regions);

}  // namespace ovni
