// Sentences of our programs, for tests of several folders.
#pragma once

#include <string>

namespace ovni::test {

inline const std::string nothing_recorded =
    "ovnirun: no call of MPI or ovni came to the tracing library, so nothing was recorded\n";

}  // namespace ovni::test
