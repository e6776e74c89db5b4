// Events of a trace that are not in it yet, because they wait in run directories of this node.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace ovni {

// A sentence for each run directory, with the command that writes its events out. A program that runs is left
// out if the trace has streams that were written out while it ran.
std::vector<std::string> left_events(const Trace& trace);

// Warns about each of them.
void warn_about_left_events(const Trace& trace);

// If a program on this node is about to finish writing the trace, waits some seconds for it. Throws Error if
// the directory does not exist then, with a sentence of left_events() if its events still wait.
void expect_begun(const std::filesystem::path& trace);

}  // namespace ovni
