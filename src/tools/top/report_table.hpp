// ovnitop --pop REPORT...: efficiencies in reports of ovniemu next to each other.
#pragma once

#include <string>
#include <vector>

#include "tools/top/data_table.hpp"

namespace ovni {

// Computation scales against the first of the reports. Throws Error for a file that is no report with
// efficiencies.
std::vector<DataTable> report_tables(const std::vector<std::string>& files);

// The shortest ends of these paths that tell them apart.
std::vector<std::string> distinct_names(const std::vector<std::string>& files);

}  // namespace ovni
