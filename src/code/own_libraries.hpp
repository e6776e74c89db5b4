// The libraries that the tracer brings into the program.
#pragma once

#include <algorithm>
#include <string_view>

namespace ovni::code {

inline bool is_own_library(std::string_view file) {
    constexpr std::string_view names[] = {"libovni.so",      "libovni-mpi",         "libovni-threads.so",
                                          "libovni-code.so", "libovni-counters.so", "libovni-openmp.so",
                                          "libZydis.so",     "libZycore.so"};
    return std::ranges::any_of(names, [&](std::string_view name) { return file.starts_with(name); });
}

}  // namespace ovni::code
