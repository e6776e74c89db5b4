// ovnitop --pop: efficiencies of a trace, or of reports (ovniemu --report) next to each other.
#pragma once

#include <string>
#include <vector>

#include "messages/costs/efficiency.hpp"
#include "tools/text_output.hpp"

namespace ovni {

// Computation scales against the first of the reports. Throws Error for a file that is no report with
// efficiencies.
void print_reports(const std::vector<std::string>& files, TextOutput& out);

}  // namespace ovni
