// The tracing libraries that go with this executable, in the build tree or installed, and how the loader is
// told of them.
#pragma once

#include <cstdint>
#include <string>

namespace ovni::run {

// Whether threads are numbered where they are created, for chains that name them.
enum class Numbering : uint8_t { none, at_creation };

// The value of LD_PRELOAD for the traced program: ours, then what `present` holds (null: nothing). Throws
// Error where the libraries are not there, or LD_PRELOAD cannot name them.
std::string preload_list(const char* present, Numbering numbering);

}  // namespace ovni::run
