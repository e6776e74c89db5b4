// Directories that hold no trace, or a part of one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/salvage.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Throws Error if `directory` lies within a trace: its threads and clocks cannot be told from a part.
void refuse_part_of_trace(const std::filesystem::path& directory);

// Throws Error if nothing in the directory is of a trace. `option`: of the program, that accepts it.
void refuse_no_trace(const Trace& trace, const std::string& option = "");

// Throws Error if all streams of a damaged trace are left out, after a warning for each.
void refuse_nothing_left(const Trace& trace, const std::vector<Damage>& damages);

// Behind the first error of a stream of that trace --keep-going is named. `command`: that has the option, if
// it is another one than this program.
void advise_keep_going(const std::filesystem::path& trace, const std::string& command = "");

}  // namespace ovni
