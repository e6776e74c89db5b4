// Directories that hold no trace, or a part of one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/salvage.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Throws Error if `directory` lies within a trace: a part does not show the threads and clocks of the whole.
void refuse_part_of_trace(const std::filesystem::path& directory);

// Throws Error if the directory holds nothing of a trace. `option`: of the program, to accept such a
// directory.
void refuse_no_trace(const Trace& trace, const std::string& option = "");

// Throws Error if all streams of a damaged trace are left out, after a warning for each.
void refuse_nothing_left(const Trace& trace, const std::vector<Damage>& damages);

// From now on the first error of a stream of that trace also advises --keep-going. `command`: the program
// that has the option, if it is not this one.
void advise_keep_going(const std::filesystem::path& trace, const std::string& command = "");

}  // namespace ovni
