// OpenMP in the traced program: whether it is recorded, and the runtime of LLVM, which reports most.
#pragma once

#include <string>

#include "run/preload.hpp"

namespace ovni::run {

// As OVNI_OPENMP says.
OpenMp wanted_openmp();

// A tool of the user's own is asked before ours: ours is added to his list. Without such a list the runtime
// finds ours, because it is preloaded.
void name_tool_of_openmp(OpenMp openmp);

// The path of libomp.so.5. Throws Error if there is none.
std::string find_libomp();

}  // namespace ovni::run
