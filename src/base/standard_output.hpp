// Ends the output of a tool on stdout: a full disk must not pass for success.
#pragma once

#include <cstdio>

#include "base/error.hpp"

namespace ovni {

// Throws Error if anything that was printed cannot be written.
inline void flush_stdout() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw system_error("cannot write", "stdout");
}

}  // namespace ovni
