// The tracing libraries that go with this executable, in the build tree or installed, and the value of
// LD_PRELOAD that names them.
#pragma once

#include <cstdint>
#include <string>

namespace ovni::run {

// `at_creation`: threads are numbered when they are created, for chains that name them.
enum class Numbering : uint8_t { none, at_creation };

// The value of LD_PRELOAD for the traced program: our libraries, then those in `present` (null: none). Throws
// Error if a library is missing, or if LD_PRELOAD cannot name it.
std::string preload_list(const char* present, Numbering numbering);

}  // namespace ovni::run
