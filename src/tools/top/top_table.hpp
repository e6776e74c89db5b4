// A table of ovnitop: its option, and the function that prints it. tables.hpp lists all.
#pragma once

#include <string>
#include <vector>

#include "base/manual.hpp"
#include "cut/trace_part.hpp"

namespace ovni {

struct TopTable {
    OptionRow row;
    // Returns the status: 1 if streams are damaged. Throws Error if nothing is there.
    int (*print)(const TracePart& part);
    // For words that are no trace directory, but reports of ovniemu.
    int (*print_reports)(const std::vector<std::string>& words) = nullptr;
    // An option that has to be there, too.
    const char* needs = nullptr;
    // Ranks wait across the borders of a part, too: the table is refused there.
    bool is_of_whole = false;
};

}  // namespace ovni
