// OpenMP in the traced program: whether it is recorded, and the LLVM runtime, which reports the most events.
#pragma once

#include <string>

#include "run/preload.hpp"

namespace ovni::run {

// The value of OVNI_OPENMP.
OpenMp wanted_openmp();

// Appends our library to the user's list of OMPT tools, whose tools come first. Without such a list the
// runtime finds our library, because it is preloaded.
void name_tool_of_openmp(OpenMp openmp);

// The path of libomp.so.5. Throws Error if there is none.
std::string find_libomp();

}  // namespace ovni::run
