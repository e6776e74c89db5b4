// The facts that an output for analysis has of a trace besides its records: rows, clocks, marks, gaps,
// versions. Plain data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"

namespace ovni {

struct Facts {
    std::vector<std::pair<std::string, std::string>> words;  // name and value
    std::vector<Table> tables;
};

}  // namespace ovni
