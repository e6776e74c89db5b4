// A table of ovnitop: its option, and the function that makes it. tables.hpp lists all. Each can be printed
// in all forms (table_writers.hpp).
#pragma once

#include <string>
#include <vector>

#include "base/manual.hpp"
#include "cut/trace_part.hpp"
#include "tools/top/data_table.hpp"

namespace ovni {

struct MadeTables {
    std::vector<DataTable> tables;
    int status = 0;  // 1 if streams are damaged
};

struct TopTable {
    OptionRow row;
    // The tables and their columns are there even if they have no rows. Throws Error if nothing is in the
    // trace.
    MadeTables (*make)(const TracePart& part);
    // For words that are no trace directory, but reports of ovniemu.
    std::vector<DataTable> (*make_of_reports)(const std::vector<std::string>& words) = nullptr;
    // The option of the table that it replaces. It follows every other table.
    const char* needs = nullptr;
    // Ranks wait across the borders of a part, too: the table is refused there.
    bool is_of_whole = false;
};

}  // namespace ovni
