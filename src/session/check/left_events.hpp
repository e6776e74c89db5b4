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

// Warns of these.
void tell_left_events(const Trace& trace);

// Waits some seconds for who writes the trace on this node if that is about to end. Throws Error if there is
// no such directory then, with such a sentence if it is still to come.
void expect_begun(const std::filesystem::path& trace);

}  // namespace ovni
