// Another run whose programs write into the same trace directory: emulators take one run alone.
#pragma once

#include <string>

namespace ovni::run {

// Warns if a program on this node that is not of `run` writes a trace into `directory` now. Says nothing of
// the world that has spawned this one, and with OVNI_APPEND.
void warn_of_other_run(const std::string& directory, const std::string& run);

}  // namespace ovni::run
