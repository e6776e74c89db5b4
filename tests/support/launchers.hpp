// The words that may stand before a program on a command line: nothing, ovnirun, ovnirun --detach. The
// parameter of tests that expect equal results from all three.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/process.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {

inline auto all_launchers() {
    std::string ovnirun = program("ovnirun");
    return ::testing::Values(Words{}, Words{ovnirun}, Words{ovnirun, "--detach"});
}

inline std::string launcher_name(const ::testing::TestParamInfo<Words>& info) {
    return info.param.empty() ? "itself" : info.param.size() == 1 ? "ovnirun" : "detached";
}

}  // namespace ovni::test
