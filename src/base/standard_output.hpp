// Flushes the stdout of a tool, so that a full disk is an error.
#pragma once

#include <cstdio>

#include "base/error.hpp"

namespace ovni {

// Throws Error if the output cannot be written.
inline void flush_stdout() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw system_error("cannot write", "stdout");
}

}  // namespace ovni
