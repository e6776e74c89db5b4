// The end of what a tool prints on stdout: a full disk must not pass for success.
#pragma once

#include <cstdio>

#include "base/error.hpp"

namespace ovni {

// Throws Error where something that was printed cannot be written.
inline void flush_stdout() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw system_error("cannot write", "stdout");
}

}  // namespace ovni
