// Detects another run that writes into this trace directory: an emulator accepts only one run.
#pragma once

#include <string>

namespace ovni::run {

// Warns if a program of another run than `run` on this node is writing a trace into `directory`. Ignores the
// world that has spawned this one. Does nothing with OVNI_APPEND.
void warn_of_other_run(const std::string& directory, const std::string& run);

}  // namespace ovni::run
